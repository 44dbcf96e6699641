"""A tape as the page holds it: two lines of JSON for each event.

The first line is what the timeline and the list need of every event, so it is small and read at
once. The second is what was said: arguments, results, items. The page searches it as text, and
reads it only where somebody looks.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from vcr_gen.runtime.formats import Entry
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import ROOT_STRAND, End, Event, Item, Signal, Start
from vcr_gen.runtime.tape.recorded import read_events

__all__ = ["embedded", "rows"]

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

# Inside a <script> element nothing of this may stand as it is: it could end the element, open a
# comment, or (the separators) end a line where older readers count lines.
_UNSAFE: Final = str.maketrans(
    {letter: f"\\u{ord(letter):04x}" for letter in ("<", ">", "&", "\u2028", "\u2029")}
)


def embedded(value: object) -> str:
    """JSON on one line that can stand in a page, whatever is in it."""
    return _ENCODER.encode(value).translate(_UNSAFE)


def rows(entries: Iterable[Entry], path: Path) -> Iterator[str]:
    """Two lines for each entry, one entry at a time."""
    for _, recorded in groupby(read_events(entries, path), lambda recorded: recorded.number):
        joined = tuple(recorded)
        head, body = _row(tuple(each.event for each in joined))
        yield f"{embedded({**head, 'line': joined[0].line})}\n{embedded(body)}\n"


def _row(events: tuple[Event, ...]) -> tuple[dict[str, object], list[Plain]]:
    """What is needed of every event, and what was said."""
    head: dict[str, object]
    match events[0]:
        case Start() as start:
            head = {"kind": "call", "call": start.call, "at": start.at, "of": start.of}
            head |= {"inbound": True} if start.inbound else {}
            head |= {"on": start.on} if start.on else {}
            head |= {"strand": start.strand} if start.strand != ROOT_STRAND else {}
            head |= {"within": start.within} if start.within is not None else {}
            said: list[Plain] = [dict(start.arguments)]
        case Item() as item:
            head, said = {"kind": "item", "call": item.call, "at": item.at}, [item.value]
        case Signal() as signal:
            head = {"kind": signal.kind, "call": signal.call, "at": signal.at}
            said = [] if signal.value is None else [signal.value]
        case End() as end:
            head, said = {"kind": "end", "call": end.call, "at": end.at}, []
    last = events[-1]
    if isinstance(last, End):
        head |= {"outcome": last.outcome, "end": last.at}
        said.append(last.value)
    return head, said
