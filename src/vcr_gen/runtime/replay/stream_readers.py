"""Which of several readers of one stream gets what comes next."""

from collections.abc import Callable, Sequence
from math import inf
from typing import Final, final
from weakref import WeakValueDictionary

from vcr_gen.runtime.replay.waiters import Waiter
from vcr_gen.runtime.strands.strands import Strand
from vcr_gen.runtime.tape.events import End, Item, Signal
from vcr_gen.runtime.tape.window import Slot, Window

__all__ = ["NOTHING_MORE", "Readers"]

NOTHING_MORE: Final = End(call=0, outcome="returned")
"""What a reader is told who still waits when the stream has ended for another."""

_AHEAD = 50
"""How many events of a stream tell whether it had several readers."""


@final
class Readers:
    """The tasks and threads that read a stream, each in the place of a recorded one.

    Who had an item in the recording is on the tape. Which live reader that is shows when it gets
    its first one: by what it was started for or its name, and else it is the first that came.
    """

    def __init__(self, window: Window, name_of: Callable[[Strand], str]) -> None:
        self._window = window
        self.name_of = name_of
        """The recorded strand that a live one stands for."""
        self._live: WeakValueDictionary[str, Strand] = WeakValueDictionary()

    def choose(self, head: Slot, waiters: Sequence[Waiter], *, at_last: bool) -> Waiter | None:
        """Who gets an item, or the end; None while the one that should have it may still come.

        At last nobody comes any more: then it is the first that is there.
        """
        known = self._live.get(head.strand)
        if known is not None and not known.is_over:
            likely = [waiter for waiter in waiters if waiter.strand is known]
            others: Sequence[Waiter] = waiters
        else:
            taken = list(self._live.values())
            fresh = [waiter for waiter in waiters if waiter.strand not in taken]
            likely = [waiter for waiter in fresh if self._is_it(waiter, head)]
            others = fresh or waiters
        if likely:
            return likely[0]
        return others[0] if at_last or not self._is_shared(head) else None

    def next_of(self, call: int, reader: Strand) -> Slot | None:
        """What the tape has next of a stream for one reader, as far as that is near."""
        name = next((known for known, live in self._live.items() if live is reader), None)
        name = self.name_of(reader) if name is None else name
        upcoming = self._window.upcoming_of_call(call, _AHEAD)
        return next((slot for slot in upcoming if slot.strand == name), None)

    def leave_soon(self, call: int) -> float:
        """How many readers leave a stream, as far as that is near.

        Any number where it ends with it, or the recording did, which may not have seen them all.
        """
        events = [slot.event for slot in self._window.upcoming_of_call(call, _AHEAD)]
        left = [event for event in events if isinstance(event, Signal) and event.kind == "left"]
        ends = any(isinstance(event, End) and event.outcome == "cancelled" for event in events)
        return inf if ends or len(left) == len(events) else len(left)

    def is_of_another(self, slot: Slot, reader: Strand, waiters: Sequence[Waiter]) -> bool:
        """Whether an event is what another reader that waits had in the recording."""
        others = [one for one in waiters if one.strand is not reader and not one.leaves]
        known = self._live.get(slot.strand)
        return any(one.strand is known or self._is_it(one, slot) for one in others)

    def note(self, recorded: str, reader: Strand | None) -> None:
        """A reader got what a recorded one had."""
        known = self._live.get(recorded)
        if reader is not None and (known is None or known.is_over):
            self._live[recorded] = reader

    def _is_it(self, waiter: Waiter, head: Slot) -> bool:
        """Whether a reader is started for the same as the recorded one, or else of its name."""
        if waiter.strand is None:
            return False
        if isinstance(head.event, Item) and head.event.begins:
            return waiter.strand.label == head.event.begins
        return self.name_of(waiter.strand) == head.strand

    def _is_shared(self, head: Slot) -> bool:
        """Whether the recording had several readers from here on."""
        upcoming = self._window.upcoming_of_call(head.event.call, _AHEAD)
        return any(slot.strand != head.strand for slot in upcoming)
