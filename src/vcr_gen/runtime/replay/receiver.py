"""What a replay asks of whoever takes the inbound calls on its tape."""

from collections.abc import Callable
from typing import Protocol

from vcr_gen.runtime.tape.window import Slot

__all__ = ["Receiver"]


class Receiver(Protocol):
    """Takes the inbound calls of a replay."""

    aside: set[int]
    """The calls that are made from threads in the environment's place, and are not over."""

    @property
    def given(self) -> tuple[int, ...]:
        """The calls of the application's streams that the environment reads step by step."""

    def in_loop(self, slot: Slot) -> Callable[[], None] | None:
        """What serves an event from an idle loop; None where nobody can take it."""

    def in_thread(self, slot: Slot) -> Callable[[], None] | None:
        """What serves an inbound call, or a step of a stream, from a thread that waits."""

    def serves(self, slot: Slot) -> bool:
        """Whether there is who can take an inbound call, or a step of a stream."""

    async def serve_soon(self, call: int) -> None:
        """Serve, in this task, the callbacks that came after a call before the loop was idle."""

    def takes(self, head: Slot | None) -> bool:
        """Whether an inbound call will be made from a thread of its own, sooner or later."""

    def finishes(self, *, failed: bool = False) -> bool:
        """Nothing can move: whether somebody waits for the end, and this is it."""

    def finish(self) -> None:
        """Release who waits for the end."""
