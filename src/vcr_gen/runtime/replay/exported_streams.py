"""Streams that the application gave to the environment, which reads them as the tape says."""

from collections.abc import Callable
from typing import final

from vcr_gen.runtime.replay.engine import Player
from vcr_gen.runtime.replay.replayed_streams import AssertedStream
from vcr_gen.runtime.tape.events import Signal
from vcr_gen.runtime.tape.window import Slot

__all__ = ["GivenStreams"]


@final
class GivenStreams:
    """Takes one step of a stream at a time, so that between two of them anything else may come.

    The environment may read two streams in turns, call back after each item, or read on in a later
    call. Who sees one stream through to its end is not there for the others.
    """

    def __init__(self, player: Player, note: Callable[[BaseException], None]) -> None:
        self._player = player
        self._note = note
        self._open: dict[int, AssertedStream] = {}

    def add(self, call: int, stream: AssertedStream) -> None:
        """Let the environment read a stream from now on."""
        self._open[call] = stream

    @property
    def calls(self) -> tuple[int, ...]:
        """The streams that are not at their end, by their calls."""
        return tuple(self._open)

    @property
    def go_on(self) -> bool:
        """Whether the tape has more of one of them."""
        return any(self._player.upcoming(call) is not None for call in self._open)

    def has(self, slot: Slot) -> bool:
        """Whether an event is a step of one of them."""
        return isinstance(slot.event, Signal) and slot.event.call in self._open

    def step(self, slot: Slot) -> None:
        """Do to a stream what the environment did."""
        call = slot.event.call
        try:
            self._open[call].follow(self._player.rendered(slot.event))
        except StopIteration:
            self._open.pop(call, None)
        except Exception as error:  # asserted; the stream may go on
            self._note(error)
