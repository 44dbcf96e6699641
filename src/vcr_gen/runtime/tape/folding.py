"""Folds events into entries of a file.

A call that nothing interrupts is one entry, with the items of its stream.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias, TypeGuard, cast, final

from vcr_gen.runtime.formats import format_for
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import (
    ROOT_STRAND,
    End,
    Event,
    Item,
    Signal,
    Start,
    in_microseconds,
    kind_of,
)

_MOST_ITEMS = 1000
"""How many items of a stream one entry may have: a reader holds an entry in memory."""

Append: TypeAlias = Callable[[Mapping[str, Plain]], None]
"""Writes an entry."""
Grow: TypeAlias = Callable[[Mapping[str, Plain]], None]
"""Adds keys, or items, to the last entry."""


@final
class Folding:
    """Writes events as entries of a file; a start waits for the next event.

    Without `grow`, each event of a stream is an entry.
    """

    def __init__(self, append: Append, grow: Grow | None = None) -> None:
        self._append = append
        self._grow = grow
        self._pending: Start | None = None
        self._asked: Signal | None = None
        """The request for the first item of the stream that waits with its start."""
        self._growing: int | None = None
        """The call of the last entry, if more of it can be added."""
        self._items = 0
        self._is_closed = False
        """Whether its consumer closed the stream: only its end can follow in the same entry."""

    def add(self, event: Event) -> None:
        """Write an event, and the start that waits for it."""
        pending = self._pending
        if pending is not None:
            if self._asked is None and _asks_first(event, pending):
                self._asked = event
                return
            started = _fold_start(pending, self._asked)
            folded = self._fold_with_next(pending, started, event)
            self._pending = self._asked = None
            if folded is not None:
                self._append(folded)
                return
            self._append(started)
        if isinstance(event, Start):
            self._growing = None
            self._pending = event
        else:
            self._add(event)

    def _fold_with_next(
        self, start: Start, started: dict[str, Plain], event: Event
    ) -> dict[str, Plain] | None:
        """One entry for a start and the event that follows it, if one can represent both."""
        if isinstance(event, End) and self._asked is None:
            return _fold_with_end(start, event)
        if self._grow is None or event.call != start.call or not _is_plain_item(event):
            return None
        self._growing, self._items, self._is_closed = event.call, 1, False
        return {**started, "items": [_fold_item(event)]}

    def _add(self, event: Item | Signal | End) -> None:
        more: dict[str, Plain] | None = None
        if self._growing == event.call and self._items < _MOST_ITEMS:
            more = None if self._is_closed and not isinstance(event, End) else _more_of(event)
        if more is None or self._grow is None:
            self._growing = None
            self._append(_fold_event(event))
            return
        self._items += 1
        self._is_closed = isinstance(event, Signal)
        if isinstance(event, End):
            self._growing = None
        self._grow(more)

    def close(self) -> None:
        """Write a start that still waits for its end."""
        pending, self._pending = self._pending, None
        if pending is not None:
            self._append(_fold_start(pending, self._asked))


def folded(events: Iterable[Event], path: Path) -> Iterator[Mapping[str, Plain]]:
    """The entries that a recording in the format of `path` would write."""
    ready: deque[Mapping[str, Plain]] = deque()

    def grow(more: Mapping[str, Plain]) -> None:
        last = dict(ready.pop())
        for key, value in more.items():
            items = last.get(key)
            if isinstance(items, list) and isinstance(value, list):
                items += value
            else:
                last[key] = value
        ready.append(last)

    folding = Folding(ready.append, grow if format_for(path).grows else None)
    for event in events:
        folding.add(event)
        while len(ready) > 1:  # the last one may grow
            yield ready.popleft()
    folding.close()
    yield from ready


def _fold_start(start: Start, asked: Signal | None) -> dict[str, Plain]:
    """The entry for a start, and for the request that came with it."""
    entry = _fold(start)
    return entry if asked is None else {**entry, "next_at": asked.at}


def _fold(start: Start) -> dict[str, Plain]:
    """The entry for a start."""
    entry: dict[str, Plain] = {"call": start.call, "of": start.of}
    if start.on:
        entry["on"] = start.on
    if start.inbound:
        entry["inbound"] = True
    if start.strand != ROOT_STRAND:
        entry["strand"] = start.strand
    if start.begins:
        entry["begins"] = start.begins
    if start.within is not None:
        entry["within"] = start.within
    if start.soon is not None:
        entry["after"], entry["rounds"] = start.soon
    if start.timers:
        entry["timers"] = list(start.timers)
    entry["at"] = start.at
    if start.arguments:
        entry["args"] = cast("dict[str, Plain]", start.arguments)
    return entry


def _fold_with_end(start: Start, end: End) -> dict[str, Plain] | None:
    """One entry for a start and its end; None if one entry cannot represent both."""
    took = in_microseconds(end.at - start.at)
    if start.call != end.call or end.strand or in_microseconds(start.at + took) != end.at:
        return None
    entry = _fold(start)
    entry |= {"took": took} if end.took is None else {"took": end.took, "clock": end.at}
    if end.at_call:
        entry["at_call"] = True
    entry[end.outcome] = end.value
    return entry


def _asks_first(event: Event, start: Start) -> TypeGuard[Signal]:
    """Whether the environment asks for the first item of a stream that it has just called for."""
    if not isinstance(event, Signal) or event.kind != "next":
        return False
    return event.call == start.call and event.strand == start.strand


def _is_plain_item(event: Event) -> TypeGuard[Item]:
    """Whether an item says nothing but its value and its time."""
    if not isinstance(event, Item) or event.raised:
        return False
    return not event.strand and not event.begins


def _fold_item(item: Item) -> dict[str, Plain]:
    """An item of a stream in the entry of its call; the keys of a mapping stand beside its time."""
    value = item.value
    if type(value) is dict and value and not any(map(_needs_value, value)):
        return {"at": item.at, **value}
    return {"at": item.at, "value": value}


def _needs_value(key: str) -> bool:
    return key in ("at", "value") or key[:1] == "$"


def _more_of(event: Item | Signal | End) -> dict[str, Plain] | None:
    """What an event adds to the entry of its call; None if the entry cannot represent it."""
    if event.strand:
        return None
    if _is_plain_item(event):
        return {"items": [_fold_item(event)]}
    if isinstance(event, Signal):
        return {"closed_at": event.at} if event.kind == "closed" else None
    if isinstance(event, End) and not event.at_call:
        is_usual = event.outcome == "returned" and event.value is None
        more: dict[str, Plain] = {"ended_at": event.at, **_took(event)}
        return more if is_usual else {**more, event.outcome: event.value}
    return None


def _took(end: End) -> dict[str, Plain]:
    """The times of an end that its entry does not contain."""
    return {} if end.took is None else {"took": end.took}


def _fold_event(event: Item | Signal | End) -> dict[str, Plain]:
    """The entry for an event of a call that has begun."""
    word = event.kind if isinstance(event, Signal) else "item" if isinstance(event, Item) else "end"
    entry: dict[str, Plain] = {word: event.call}
    if event.strand:
        entry["strand"] = event.strand
    if isinstance(event, Item) and event.begins:
        entry["begins"] = event.begins
    entry["at"] = event.at
    if isinstance(event, End):
        entry |= _took(event)
        if event.at_call:
            entry["at_call"] = True
        entry[event.outcome] = event.value
    elif kind_of(event).value is not None:
        entry["raised" if isinstance(event, Item) and event.raised else "value"] = event.value
    return entry
