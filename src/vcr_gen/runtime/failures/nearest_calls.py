"""Finds the recorded calls most similar to an unexpected one."""

from collections.abc import Iterator, Mapping
from typing import final

from vcr_gen.errors import RecordedEvent
from vcr_gen.runtime.failures.wording import describe
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import Start
from vcr_gen.runtime.tape.window import Slot, Window

__all__ = ["Nearest"]

_AHEAD = 50
"""How many events are searched."""
_SHOWN = 3


@final
class Nearest:
    """Recorded calls of the same method near the expected one, most similar first."""

    def __init__(
        self, window: Window, due: Slot | None, name: str, stored: Mapping[str, Plain]
    ) -> None:
        rest = [slot for slot in window.ahead(_AHEAD) if slot is not due]
        ahead = list(_calls(iter(rest), name))
        behind = list(_calls(iter(window.recent), name))
        self.ahead = any(_distance(slot, stored) == 0 for slot in ahead)
        """Whether the same call comes later on the tape."""
        self.repeated = any(_distance(slot, stored) == 0 for slot in behind)
        """Whether the same call was just made."""
        self.next_but_one = due is not None and _next_in(due.strand, rest) in ahead
        """Whether a call of the method directly follows the expected one."""
        ranked = sorted(ahead, key=lambda slot: _distance(slot, stored))
        self.shown: tuple[RecordedEvent, ...] = tuple(map(describe, ranked[:_SHOWN]))


def _calls(slots: Iterator[Slot], name: str) -> Iterator[Slot]:
    for slot in slots:
        if isinstance(slot.event, Start) and slot.event.of == name:
            yield slot


def _next_in(strand: str, slots: list[Slot]) -> Slot | None:
    """The next outbound call of a strand."""
    calls = (slot for slot in slots if slot.strand == strand and not slot.start.inbound)
    return next((slot for slot in calls if isinstance(slot.event, Start)), None)


def _distance(slot: Slot, stored: Mapping[str, Plain]) -> int:
    """The number of arguments in which a recorded call differs."""
    recorded = slot.start.arguments
    names = recorded.keys() | stored.keys()
    return sum(recorded.get(name, ...) != stored.get(name, ...) for name in names)
