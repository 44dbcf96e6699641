"""Filters the events of a cassette by boundary, method or status."""

import difflib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from vcr_gen.errors import UsageError
from vcr_gen.runtime.formats import Entry
from vcr_gen.runtime.tape.events import unfold
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.tapes.recorded_calls import RecordedCall, read_calls, split_name

__all__ = ["EventFilter"]


@dataclass(frozen=True, slots=True)
class EventFilter:
    """The calls that pass a filter."""

    reading: Reading
    calls: Collection[int] | None
    """Their numbers; None if all calls pass."""

    @classmethod
    def of(
        cls, reading: Reading, boundary: str | None, method: str | None, status: str | None
    ) -> Self:
        """Find the matching calls; the status of a call requires reading the whole tape."""
        if boundary is None and method is None and status is None:
            return cls(reading, None)
        boundaries = reading.header.get("boundaries")
        known = set(boundaries) if isinstance(boundaries, dict) else set()
        seen_boundaries: set[str] = set(known)
        seen_methods: set[str] = set()
        wanted: set[int] = set()

        def fits(call: RecordedCall) -> bool:
            names = split_name(call.start.of, known)
            seen_boundaries.add(names[0])
            seen_methods.add(call.start.of)
            return (
                (boundary is None or boundary == names[0])
                and (method is None or method in (names[1], call.start.of))
                and (status is None or status == call.status)
            )

        for call in read_calls(reading, reading.path):
            if fits(call):
                wanted.add(call.start.call)
        if not wanted:
            if boundary is not None and boundary not in seen_boundaries:
                raise _unknown("boundary", boundary, seen_boundaries)
            bare = {split_name(of, known)[1] for of in seen_methods}
            if method is not None and method not in seen_methods | bare:
                raise _unknown("method", method, seen_methods | bare)
        return cls(reading, wanted)

    def entries(self, numbered: Iterable[tuple[int, Entry]]) -> Iterator[tuple[int, Entry]]:
        """The entries of matching calls, with their numbers."""
        for number, entry in numbered:
            if self.calls is None or _call(self.reading, entry) in self.calls:
                yield number, entry


def _call(reading: Reading, entry: Entry) -> int:
    return unfold(entry.data, path=reading.path, line=entry.line)[0].call


def _unknown(what: str, name: str, known: Collection[str]) -> UsageError:
    meant = difflib.get_close_matches(name, sorted(known), n=1)
    more = f"did you mean {meant[0]!r}?" if meant else f"known: {', '.join(sorted(known))}"
    return UsageError(f"the cassette has no {what} {name!r}; {more}")
