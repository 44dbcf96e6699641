"""Streams whose items are longer or shorter than recorded, as they have placeholders for secrets.

A program that reads such a stream by bytes asks for the next item later than in the recording, or
earlier: before or after another call. Where nothing else can move, the item leaves its place on the
tape, and the reader gets it whenever it asks.
"""

from typing import final

from vcr_gen.runtime.replay.waiting import Waiters, is_for
from vcr_gen.runtime.tape.events import End, Item, Signal
from vcr_gen.runtime.tape.window import REACH, Slot, Window


@final
class ShiftedStreams:
    """The streams that gave the program a placeholder for a secret."""

    def __init__(self, window: Window, waiters: Waiters) -> None:
        self._window = window
        self._waiters = waiters
        self._calls: set[int] = set()

    def __contains__(self, call: int) -> bool:
        return call in self._calls

    def note(self, call: int) -> None:
        """An item of a stream had a placeholder."""
        self._calls.add(call)

    def forget(self, call: int) -> None:
        """A stream has ended."""
        self._calls.discard(call)

    def out_of_place(self) -> Slot | None:
        """An item that is next on the tape and has no reader, or that a reader waits for."""
        return (self._unread() or self._awaited()) if self._calls else None

    def due(self) -> Slot | None:
        """A loose item that a task or thread waits for."""
        if not self._window.has_loose:
            return None
        return next((slot for slot in self._next_for_waiters() if slot.is_loose), None)

    def rest_of(self, call: int) -> list[Slot]:
        """The items of such a stream before its consumer closes it or it ends, and that event.

        A consumer that leaves now may not have reached them, as those before them are longer.
        """
        rest = self._window.upcoming_of_call(call, REACH) if call in self._calls else []
        for position, slot in enumerate(rest):
            match slot.event:
                case Item():
                    continue
                case End() | Signal(kind="closed"):
                    return rest[: position + 1]
            break
        return []

    def _unread(self) -> Slot | None:
        """The oldest event, if it is of such a stream, and no one waits for it."""
        head = self._window.head()
        if head is None or head.driven_by_application or head.event.call not in self._calls:
            return None
        return None if self._waiters.of(head.event.call) else head

    def _awaited(self) -> Slot | None:
        """The next item of such a stream that a reader waits for, and that is not due."""
        return next(
            (
                slot
                for slot in self._next_for_waiters()
                if slot.event.call in self._calls and not slot.is_loose
            ),
            None,
        )

    def _next_for_waiters(self) -> list[Slot]:
        found = ((self._window.next_of_call(waiter.call), waiter) for waiter in self._waiters)
        return [slot for slot, waiter in found if slot is not None and is_for(slot, waiter)]
