"""Finds out what may explain a call that the tape does not expect."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias, final

from vcr_gen.errors import DivergenceKind
from vcr_gen.runtime.boundary.port import Operation
from vcr_gen.runtime.codec import Difference
from vcr_gen.runtime.failures.format_values import without_consequences
from vcr_gen.runtime.failures.text_diff import equal_start
from vcr_gen.runtime.failures.wording import describe
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import Start
from vcr_gen.runtime.tape.window import Slot, Window

_AHEAD = 50
"""How many events are searched for similar calls."""
_NEAREST = 3
"""How many of them are shown."""


@final
class Nearest:
    """Recorded calls of the same method near the expected one, most similar first."""

    def __init__(
        self,
        window: Window,
        due: Slot | None,
        operation: Operation,
        stored: Mapping[str, Plain],
        title_of: Callable[[Start], str],
    ) -> None:
        bound, name = operation.bound, operation.bound.method.name
        key = bound.key(stored)

        def is_same(slot: Slot) -> bool:
            return slot.start.on == operation.on and bound.key(slot.start.arguments) == key

        def distance(slot: Slot) -> int:
            """The number of arguments in which a recorded call differs."""
            recorded = slot.start.arguments
            names = recorded.keys() | stored.keys()
            return sum(recorded.get(name, ...) != stored.get(name, ...) for name in names)

        rest = [slot for slot in window.ahead(_AHEAD) if slot is not due]
        ahead, behind = _calls_of(name, rest), _calls_of(name, window.recent)
        self.ahead = any(map(is_same, ahead))
        """Whether the same call comes later on the tape."""
        self.repeated = any(map(is_same, behind))
        """Whether the same call was just made."""
        self.next_but_one = due is not None and _next_in(due.strand, rest) in ahead
        """Whether a call of the method directly follows the expected one."""
        title = title_of(Start(call=0, of=name, on=operation.on, arguments=stored))
        alike = [slot for slot in ahead if title_of(slot.start) == title]
        self.shown = tuple(map(describe, sorted(alike, key=distance)[:_NEAREST]))


def _calls_of(name: str, slots: Iterable[Slot]) -> list[Slot]:
    return [slot for slot in slots if isinstance(slot.event, Start) and slot.event.of == name]


def _next_in(strand: str, slots: list[Slot]) -> Slot | None:
    """The next outbound call of a strand."""
    calls = (slot for slot in slots if slot.strand == strand and not slot.start.inbound)
    return next((slot for slot in calls if isinstance(slot.event, Start)), None)


def _are_all(arguments: Mapping[str, Plain], differences: Iterable[Difference]) -> bool:
    """Whether all arguments differ, so that it may be a different call."""
    differ = {re.split(r"[.\[]", difference.path)[0] for difference in differences}
    return differ.issuperset(arguments)


_Words: TypeAlias = tuple[DivergenceKind, str, str]
"""A kind, a headline, and the likely cause."""


def other_method(due: str, nearest: Nearest) -> tuple[DivergenceKind, str]:
    """A different method was called than the tape has, and what may explain it."""
    if nearest.repeated:
        also = f", or {due} was dropped" if nearest.ahead or nearest.next_but_one else ""
        return "extra", f"the call was repeated{also}"
    if nearest.ahead:
        return "order", f"{due} was dropped or comes later now, or a call was added before it"
    if nearest.next_but_one:
        return "order", f"{due} was dropped, or a call was added before it"
    return "extra", "a call was added"


def changed_call(
    title: str,
    nearest: Nearest,
    stored: Mapping[str, Plain],
    differences: tuple[Difference, ...],
) -> _Words:
    """The expected call was made with different arguments."""
    headline = f"{title} was called with different arguments: {few_fields(differences)}"
    if nearest.ahead:
        return "order", headline, "calls were reordered, or the expected call was dropped"
    if nearest.repeated:
        return "extra", headline, "the call was repeated"
    if len(stored) > 1 and _are_all(stored, differences):
        return "argument", headline, "a call was added, or its arguments changed"
    if len(stored) == 1 and not any(map(_is_edited, differences)):
        return "argument", headline, "an argument changed, or a call was added"
    return "argument", headline, "an argument changed"


def _is_edited(difference: Difference) -> bool:
    """Whether only a part of an argument differs: a field of it, or less than half of a text."""
    before, after = difference.recorded, difference.actual
    if not isinstance(before, str) or not isinstance(after, str):
        return not difference.path.isidentifier()
    shared = equal_start(before, after) + equal_start(before[::-1], after[::-1])
    return 2 * shared >= max(len(before), len(after)) or not difference.path.isidentifier()


def other_request(title: str, due: str, nearest: Nearest, *, in_any_order: bool) -> _Words:
    """A call of the same method with a different name: a request for something else."""
    if in_any_order:
        headline = f"{title} was called, but the tape has no such call; the nearest is {due}"
        return "extra", headline, "a call was added, or changed"
    headline = f"{title} was called where the tape has {due}"
    if nearest.ahead:
        return (
            "order",
            headline,
            f"{due} was dropped or comes later now, or a call was added before it",
        )
    if nearest.repeated:
        return "extra", headline, "the call was repeated"
    return "argument", headline, f"{due} was changed or dropped, or a call was added before it"


def few_fields(differences: tuple[Difference, ...]) -> str:
    """The names of the first few differing fields."""
    names = list(
        dict.fromkeys(
            found.path.removesuffix(".$type") for found in without_consequences(differences)
        )
    )
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
