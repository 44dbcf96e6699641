"""Recorded values in words, short enough for a message."""

import json
from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Final

from vcr_gen.runtime.codec import MISSING, TYPE_DIFFERS, Difference
from vcr_gen.runtime.failures.readable import readable, short_name
from vcr_gen.runtime.failures.text_diff import diff_lines, diff_texts, visible
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import hidden, hidden_in

__all__ = ["show", "show_age", "show_arguments", "show_difference", "telling"]

_WIDTH = 100
_CLASS: Final = ".$type"
"""How the path of a value's class ends."""


def show(value: Plain, width: int = _WIDTH, declared: str = "") -> str:
    """A value on one line, cut where it is long; `declared` is its annotation, if it is known."""
    return cut(visible(hidden(readable(hidden_in(value), declared))), width)


def cut(text: str, width: int) -> str:
    """A text of at most that width, cut outside of what stands for a secret."""
    if len(text) <= width:
        return text
    short = text[: width - 1]
    start = short.rfind("<redacted")
    return f"{short[:start] if start > short.rfind('>') else short}…"


def show_age(age: timedelta) -> str:
    """A span of time in its largest unit."""
    seconds = int(age.total_seconds())
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        if seconds >= length or unit == "second":
            count = seconds // length
            break
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"


def show_arguments(
    arguments: Mapping[str, Plain],
    types: Mapping[str, str] = MappingProxyType({}),
    differing: Collection[str] = (),
) -> str:
    """Arguments as in a call; where they are long, something of each.

    `types` are their annotations. The `differing` fields come first, so that they are not cut.
    """
    arguments = _differing_first(arguments, differing) if differing else arguments
    text = _listed(arguments, types, _WIDTH)
    if len(text) > _WIDTH:
        text = _listed(arguments, types, max(40, _WIDTH // len(arguments)))
    return cut(text, _WIDTH)


def _listed(arguments: Mapping[str, Plain], types: Mapping[str, str], width: int) -> str:
    return ", ".join(
        f"{name}={show(value, width, types.get(name, ''))}" for name, value in arguments.items()
    )


def _differing_first(
    fields: Mapping[str, Plain], paths: Collection[str], above: str = ""
) -> dict[str, Plain]:
    """Fields in which something differs, at these paths, before the others; inside them too."""
    differing: dict[str, Plain] = {}
    same: dict[str, Plain] = {}
    for name, value in fields.items():
        here = f"{above}{name}"
        if any(path == here or path.startswith((f"{here}.", f"{here}[")) for path in paths):
            inner = f"{here}."
            differing[name] = (
                _differing_first(value, paths, inner) if isinstance(value, dict) else value
            )
        else:
            same[name] = value
    return differing | same


def telling(differences: Iterable[Difference]) -> list[Difference]:
    """The differences without those inside of a value whose class differs: they follow from it."""
    found = list(differences)
    replaced = [each.path.removesuffix(_CLASS) for each in found if each.path.endswith(_CLASS)]
    inside = tuple(start for path in replaced for start in (f"{path}.", f"{path}["))
    return [
        each for each in found if each.path.endswith(_CLASS) or not each.path.startswith(inside)
    ]


def show_difference(difference: Difference) -> str:
    """The difference in a field: of texts, the lines and the letters that changed."""
    path, recorded, actual = difference.path, difference.recorded, difference.actual
    if isinstance(recorded, str) and isinstance(actual, str):
        if path.endswith(_CLASS):
            names = f"recorded {short_name(recorded)}, got {short_name(actual)}"
            return f"{path.removesuffix(_CLASS)}: {names}"
        recorded, actual = hidden(recorded), hidden(actual)
        if "\n" in recorded or "\n" in actual:
            rows = diff_lines(recorded, actual)
        else:
            quoted = (json.dumps(text, ensure_ascii=False) for text in (recorded, actual))
            rows = diff_texts(*quoted)
    else:
        before = "nothing" if recorded is MISSING else show(recorded)
        after = "nothing" if actual is MISSING else show(actual)
        if difference.reason == TYPE_DIFFERS:
            return f"{path}: recorded {before}, got {after}"
        rows = [f"- {before}", f"+ {after}"]
    return "\n".join([f"{path}: {difference.reason}", *(f"  {row}" for row in rows)])
