"""The calls of a recorded tape: start, end and what came between joined, one call at a time."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias, final

from vcr_gen.runtime.formats import Entry
from vcr_gen.runtime.tape.events import INTERNAL, End, Item, Signal, Start
from vcr_gen.runtime.tape.recorded import read_events

__all__ = ["STATUSES", "RecordedCall", "Status", "read_calls", "split_name"]

Status: TypeAlias = Literal["returned", "raised", "cancelled", "unfinished"]
STATUSES: tuple[Status, ...] = ("returned", "raised", "cancelled", "unfinished")
"""How a call can have come to its end; `unfinished` when the recording stopped before it did."""


@final
@dataclass(slots=True, kw_only=True, eq=False)
class RecordedCall:
    """One call of a tape."""

    index: int
    """Its place in the order of starts, from 0: calls end in another order. -1 if internal."""
    start: Start
    number: int
    """The number of the entry where it starts: what people are told."""
    line: int
    end: End | None = None
    """None when it never finished."""
    end_number: int = 0
    end_line: int = 0
    items: int = 0
    """How many items its stream gave."""
    signals: int = 0
    """How often its caller did something to it while it ran."""
    between: list[Item | Signal] = field(default_factory=list)
    """The items and signals themselves, where they were asked for."""

    @property
    def status(self) -> Status:
        """How it ended."""
        return self.end.outcome if self.end is not None else "unfinished"

    @property
    def took(self) -> float | None:
        """Seconds from its start to its end."""
        return None if self.end is None else round(self.end.at - self.start.at, 6)

    @property
    def is_internal(self) -> bool:
        """Whether it is no call over a boundary, but there for the order: a job, a lock."""
        return self.index < 0


def read_calls(
    entries: Iterable[Entry], path: Path, *, between: bool = False
) -> Iterator[RecordedCall]:
    """Every call, in the order in which they end, and at last those that never finished.

    Only calls under way are held; `between` also holds their items and signals.
    """
    under_way: dict[int, RecordedCall] = {}
    begun = 0
    for event, start, number, line in read_events(entries, path):
        if isinstance(event, Start):
            index = -1 if start.of in INTERNAL else begun
            begun += index >= 0
            under_way[event.call] = RecordedCall(index=index, start=start, number=number, line=line)
            continue
        call = under_way[event.call]
        if isinstance(event, End):
            call.end, call.end_number, call.end_line = event, number, line
            yield under_way.pop(event.call)
            continue
        if isinstance(event, Item):
            call.items += 1
        else:
            call.signals += 1
        if between:
            call.between.append(event)
    yield from under_way.values()


def split_name(of: str, boundaries: Collection[str] = ()) -> tuple[str, str]:
    """Boundary and method of `Boundary.method`; only a boundary's own name may say otherwise.

    A method's name may have a dot in it (`ready.set`), and so may a boundary that the header names.
    """
    known = [name for name in boundaries if of.startswith(f"{name}.")]
    boundary = max(known, key=len, default=of.partition(".")[0])
    return boundary, of[len(boundary) + 1 :]
