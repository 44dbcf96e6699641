"""Turns events into entries: a start and an end that directly follows it become one."""

from collections.abc import Callable, Mapping
from typing import cast, final

from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import (
    BARE_SIGNALS,
    ROOT_STRAND,
    End,
    Event,
    Item,
    Signal,
    Start,
)

__all__ = ["Folding"]


@final
class Folding:
    """Writes events as entries of a file; a start waits for the next event."""

    def __init__(self, append: Callable[[Mapping[str, Plain]], None]) -> None:
        self._append = append
        self._pending: Start | None = None

    def add(self, event: Event) -> None:
        """Write an event, and the start that waits for it."""
        pending = self._pending
        if pending is not None:
            self._pending = None
            folded = _fold_with_end(pending, event) if isinstance(event, End) else None
            if folded is not None:
                self._append(folded)
                return
            self._append(_fold(pending))
        if isinstance(event, Start):
            self._pending = event
        else:
            self._append(_plain_of(event))

    def close(self) -> None:
        """Write a start that still waits for its end."""
        pending, self._pending = self._pending, None
        if pending is not None:
            self._append(_fold(pending))


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
    took = round(end.at - start.at, 6)
    if start.call != end.call or end.strand or round(start.at + took, 6) != end.at:
        return None
    entry = _fold(start)
    entry["took"] = took
    if end.at_call:
        entry["at_call"] = True
    entry[end.outcome] = end.value
    return entry


def _plain_of(event: Item | Signal | End) -> dict[str, Plain]:
    """The entry for a single event."""
    entry: dict[str, Plain]
    match event:
        case Item():
            entry = {"item": event.call}
        case Signal():
            entry = {event.kind: event.call}
        case End():
            entry = {"end": event.call}
    if event.strand:
        entry["strand"] = event.strand
    if isinstance(event, Item) and event.begins:
        entry["begins"] = event.begins
    entry["at"] = event.at
    match event:
        case Item():
            entry["raised" if event.raised else "value"] = event.value
        case Signal():
            if event.kind not in BARE_SIGNALS:
                entry["value"] = event.value
        case End():
            entry |= _ending(event)
    return entry


def _ending(end: End) -> dict[str, Plain]:
    at_call: dict[str, Plain] = {"at_call": True} if end.at_call else {}
    return {**at_call, end.outcome: end.value}
