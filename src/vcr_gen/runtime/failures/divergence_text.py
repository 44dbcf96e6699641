"""The text of a divergence."""

from collections.abc import Iterable, Iterator, Sequence

from vcr_gen.errors import Divergence
from vcr_gen.runtime.failures.call_sites import shown_path
from vcr_gen.runtime.failures.format_values import show_difference, without_consequences

__all__ = ["message_of"]

_SHOWN = 12
"""How many differences the message shows; the exception has all of them."""


def message_of(divergence: Divergence) -> str:
    """The whole message, headline first."""
    return "\n".join(_lines(divergence))


def _lines(divergence: Divergence) -> Iterator[str]:
    yield divergence.headline
    yield from _section("differences (- recorded, + actual)", _differences(divergence))
    yield ""
    if divergence.boundary:
        yield f"  boundary   {divergence.boundary}.{divergence.method}"
    due = divergence.due
    number = f" (event {due.number})" if due is not None else ""
    yield f"  cassette   {shown_path(divergence.place)}{number}"
    if divergence.call_site:
        yield f"  called at  {divergence.call_site}"
    if divergence.actual:
        yield f"  recorded   {due.what if due is not None else 'nothing: the tape ends here'}"
        yield f"  actual     {divergence.actual}"
    yield from _section("nearest recorded calls", map(str, divergence.nearest))
    yield from _section("last events done", map(str, divergence.done))
    if not divergence.actual:
        yield from _section("next expected event", (str(due or "none: the tape ends here"),))
    yield from _section("waiting", divergence.waiting)
    yield ""
    if divergence.likely:
        yield f"likely: {divergence.likely}"
    yield f"hint: {divergence.hint}"


def _differences(divergence: Divergence) -> Sequence[str]:
    differences = without_consequences(divergence.differences)
    rows = [show_difference(found) for found in differences[:_SHOWN]]
    more = len(differences) - _SHOWN
    return [*rows, *([f"… and {more} more"] if more > 0 else []), *divergence.anchors]


def _section(title: str, rows: Iterable[str]) -> Iterator[str]:
    lines = [line for row in rows for line in row.split("\n")]
    if lines:
        yield ""
        yield f"  {title}:"
        yield from (f"    {line}" for line in lines)
