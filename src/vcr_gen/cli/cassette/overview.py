"""A cassette at a glance: one line for each event, indented by what it happened inside of."""

import shutil
import sys
from collections.abc import Iterable, Iterator

from vcr_gen.cli.tables import cut, duration
from vcr_gen.cli.terminal import Terminal
from vcr_gen.runtime.failures.show import show, show_arguments
from vcr_gen.runtime.formats import Entry
from vcr_gen.runtime.tape.events import End, Event, Item, Signal, Start, unfold
from vcr_gen.runtime.tape.reading import Reading

__all__ = ["overview"]

_SIGNALS = {
    "next": "asks for the next item",
    "sent": "is sent",
    "thrown": "is thrown",
    "closed": "is closed",
    "cancel": "is cancelled by its caller",
    "left": "is left by a reader that was cancelled",
}


def overview(
    reading: Reading, entries: Iterable[tuple[int, Entry]], terminal: Terminal
) -> Iterator[str]:
    """Number, time, what happened, and how long a finished call took.

    `→` goes out to the environment, `←` comes in from it; `·` is an item of a stream.
    """
    width = len(str(reading.count))
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    starts: dict[int, Start] = {}
    for number, entry in entries:
        events = list(unfold(entry.data, path=reading.path, line=entry.line))
        first = events[0]
        if isinstance(first, Start):
            starts[first.call] = first
        start = starts.get(first.call)
        depth = _depth(start, starts) + (not isinstance(first, Start))
        what = "  ".join(_words(event, start, alone=len(events) == 1) for event in events)
        failed = isinstance(events[-1], End) and events[-1].outcome != "returned"
        line = cut(f"{number:>{width}}  {first.at:>10.6f}  {'  ' * depth}{what}", room)
        yield terminal.paint(line, "red") if failed else line
        if isinstance(events[-1], End):
            starts.pop(first.call, None)


def _words(event: Event, start: Start | None, *, alone: bool) -> str:
    name = start.of if start is not None else f"call {event.call}"
    match event:
        case Start():
            arrow = "←" if event.inbound else "→"
            on = f"{event.on} " if event.on else ""
            call = f"{arrow} {on}{event.of}({show_arguments(event.arguments)})"
            return call if not alone else f"{call} …"
        case Item(raised=raised):
            return f"· {'raised ' if raised else ''}{show(event.value, 80)}"
        case Signal():
            value = "" if event.value is None else f" {show(event.value, 60)}"
            return f"{name} {_SIGNALS[event.kind]}{value}"
        case End():
            took = "" if start is None else f"  [{duration(max(0.0, event.at - start.at))}]"
            said = "" if event.outcome == "cancelled" else f" {_said(event)}"
            whose = f"{name} " if alone else ""
            return f"{whose}{event.outcome}{said}{took}"


def _said(end: End) -> str:
    """What a call answered; an exception as Python spells it."""
    error = end.value
    if end.outcome == "raised" and isinstance(error, dict) and isinstance(error.get("args"), list):
        arguments = show(error["args"], 80)
        return f"{error.get('$type')}({cut(arguments[1:-1], 78)})"
    return show(error, 80)


def _depth(start: Start | None, starts: dict[int, Start]) -> int:
    """How many calls that are still under way enclose a call."""
    depth = 0
    while start is not None and start.within is not None and start.within < start.call:
        start = starts.get(start.within)
        depth += 1
    return depth
