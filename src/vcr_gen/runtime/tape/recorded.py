"""A recorded tape as a reader meets it: events joined with the call that they belong to."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.formats import Entry
from vcr_gen.runtime.tape.events import CLOCK, LOCK, End, Event, Start, unfold

__all__ = ["Recorded", "read_events"]


class Recorded(NamedTuple):
    """One event of a tape, its call, and its place in the file."""

    event: Event
    start: Start
    """The call it belongs to."""
    number: int
    """The number of its entry in the file, from 1; a call and its end may share one."""
    line: int


def read_events(entries: Iterable[Entry], path: Path) -> Iterator[Recorded]:
    """The events of a file in order; only the calls that are under way are held.

    Refuses what cannot have happened: a call that begins out of turn, or goes on when it is over.
    """

    def wrong(line: int, message: str) -> CassetteFormatError:
        return CassetteFormatError(message, path=path, line=line)

    open_calls: dict[int, Start] = {}
    last_call = 0
    for number, entry in enumerate(entries, start=1):
        for event in unfold(entry.data, path=path, line=entry.line):
            if isinstance(event, Start):
                if event.call <= last_call:
                    raise wrong(entry.line, f"call {event.call} begins after call {last_call}")
                last_call = event.call
                if event.of == LOCK and not isinstance(event.arguments.get("lock"), str):
                    raise wrong(entry.line, "expected the name of a `lock` in `args`")
                if event.of == CLOCK and not _is_tick(event):
                    raise wrong(entry.line, "expected `since` in `args`, and `reading` or `round`")
                open_calls[event.call] = start = event
            elif event.call not in open_calls:
                raise wrong(entry.line, f"call {event.call} has not begun, or is over")
            elif isinstance(event, End):
                start = open_calls.pop(event.call)
            else:
                start = open_calls[event.call]
            yield Recorded(event, start, number, entry.line)


def _is_tick(start: Start) -> bool:
    arguments = dict(start.arguments)
    since, at = arguments.pop("since", None), arguments.popitem() if arguments else ("", None)
    is_time = isinstance(since, int | float)
    return is_time and at[0] in ("reading", "round") and isinstance(at[1], int) and not arguments
