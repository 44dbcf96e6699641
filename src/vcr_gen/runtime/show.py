"""Recorded values in words, short enough for a message."""

import difflib
import json
from collections.abc import Mapping

from vcr_gen.runtime.codec import MISSING, Difference
from vcr_gen.runtime.plain import Plain

__all__ = ["show", "show_arguments", "show_difference"]

_WIDTH = 100
_LONG = 60


def show(value: Plain, width: int = _WIDTH) -> str:
    """A value on one line, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= width else f"{text[: width - 1]}…"


def show_arguments(arguments: Mapping[str, Plain]) -> str:
    """Arguments as in a call."""
    text = ", ".join(f"{name}={show(value, 40)}" for name, value in arguments.items())
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def show_difference(difference: Difference) -> str:
    """One field's difference, with a diff of the lines where the text is long."""
    recorded, actual = difference.recorded, difference.actual
    place = difference.path.lstrip(".") or "value"
    if isinstance(recorded, str) and isinstance(actual, str) and _is_long(recorded, actual):
        lines = difflib.unified_diff(
            recorded.splitlines(), actual.splitlines(), "recorded", "actual", lineterm="", n=2
        )
        return "\n".join([f"{place}:", *(f"  {line}" for line in lines)])
    before = "nothing" if recorded is MISSING else show(recorded)
    after = "nothing" if actual is MISSING else show(actual)
    return f"{place}: {difference.reason}\n  - {before}\n  + {after}"


def _is_long(recorded: str, actual: str) -> bool:
    return ("\n" in recorded or "\n" in actual) and max(len(recorded), len(actual)) > _LONG
