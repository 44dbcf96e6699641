"""How often each method was called, how often it failed, and how long it took."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Final, final

from vcr_gen.tapes.calls import RecordedCall, Status

__all__ = ["PERCENTILES", "MethodStats", "count_calls", "percentile"]

PERCENTILES: Final = (50, 90, 99)


@final
@dataclass(slots=True)
class MethodStats:
    """The calls of one method; eight bytes each, so that a large tape stays small."""

    of: str
    statuses: dict[Status, int] = field(default_factory=dict)
    items: int = 0
    """How many items its streams gave."""
    took: "array[float]" = field(default_factory=lambda: array("d"))
    """Seconds, of the calls that finished."""

    @property
    def calls(self) -> int:
        """How often it was called."""
        return sum(self.statuses.values())

    @property
    def errors(self) -> int:
        """How many of the calls raised."""
        return self.statuses.get("raised", 0)

    def count(self, call: RecordedCall) -> None:
        """Add one call."""
        self.statuses[call.status] = self.statuses.get(call.status, 0) + 1
        self.items += call.items
        if call.took is not None:
            self.took.append(call.took)

    def percentiles(self) -> dict[int, float]:
        """The time within which so many per cent of the calls finished; empty when none did."""
        ordered = sorted(self.took)
        return {percent: percentile(ordered, percent) for percent in PERCENTILES if ordered}


def count_calls(calls: Iterable[RecordedCall], into: dict[str, MethodStats]) -> None:
    """Add the calls of one tape; jobs and locks are no calls over a boundary."""
    for call in calls:
        if not call.is_internal:
            of = call.start.of
            stats = into.get(of)
            if stats is None:
                stats = into[of] = MethodStats(of)
            stats.count(call)


def percentile(ordered: Sequence[float], percent: int) -> float:
    """The smallest value that so many per cent of the values do not exceed."""
    return ordered[max(0, ceil(len(ordered) * percent / 100) - 1)]
