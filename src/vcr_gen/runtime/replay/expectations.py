"""What the tape has where the application does something, and how the two differ."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias, final

from vcr_gen.runtime.codec import Difference
from vcr_gen.runtime.tape.window import Slot

__all__ = ["Compare", "Differences", "Expectation"]

Differences: TypeAlias = Callable[[Slot], tuple[Difference, ...]]
"""How what the application does differs from a recorded event; empty when it is the one."""


@final
@dataclass(frozen=True, slots=True)
class Compare:
    """Compares what the application does with recorded events."""

    differences: Differences
    likely: Callable[[], Iterable[Slot]] = tuple
    """The events that were read and that it equals, found without comparing it with each."""

    def __call__(self, slot: Slot) -> tuple[Difference, ...]:
        """How it differs from one of them."""
        return self.differences(slot)


@final
@dataclass(frozen=True, slots=True)
class Expectation:
    """What the tape has where the application did something."""

    slot: Slot | None
    """The recorded event that was due; None where the strand has nothing left."""
    differences: tuple[Difference, ...] = ()
    """How the live event differs from it; empty when it is the one."""
    may_come: bool = False
    """Whether it may be due when a thread that is equal to this one has gone on."""
    stranger: str = ""
    """The recorded strand that has it next, where that is not for this one to do."""

    @property
    def is_met(self) -> bool:
        """Whether the live event is the recorded one."""
        return self.slot is not None and not self.differences and not self.stranger
