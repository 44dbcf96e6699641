"""Recorded values in words, short enough for a message."""

import json
from collections.abc import Mapping
from datetime import timedelta

from vcr_gen.runtime.codec import MISSING, Difference
from vcr_gen.runtime.failures.text_diff import diff_lines, diff_texts, visible
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.redaction import hidden

__all__ = ["show", "show_age", "show_arguments", "show_difference"]

_WIDTH = 100


def show(value: Plain, width: int = _WIDTH) -> str:
    """A value on one line, cut where it is long."""
    text = visible(hidden(json.dumps(value, ensure_ascii=False)))
    return cut(text, width)


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


def show_arguments(arguments: Mapping[str, Plain]) -> str:
    """Arguments as in a call; where they are long, something of each."""
    text = ", ".join(f"{name}={show(value)}" for name, value in arguments.items())
    if len(text) > _WIDTH:
        width = max(40, _WIDTH // len(arguments))
        text = ", ".join(f"{name}={show(value, width)}" for name, value in arguments.items())
    return cut(text, _WIDTH)


def show_difference(difference: Difference) -> str:
    """One field's difference: of texts, the lines and the letters that changed."""
    recorded, actual = difference.recorded, difference.actual
    if isinstance(recorded, str) and isinstance(actual, str):
        recorded, actual = hidden(recorded), hidden(actual)
        if "\n" in recorded or "\n" in actual:
            rows = diff_lines(recorded, actual)
        else:
            quoted = (json.dumps(text, ensure_ascii=False) for text in (recorded, actual))
            rows = diff_texts(*quoted)
    else:
        before = "nothing" if recorded is MISSING else show(recorded)
        after = "nothing" if actual is MISSING else show(actual)
        rows = [f"- {before}", f"+ {after}"]
    return "\n".join([f"{difference.path}: {difference.reason}", *(f"  {row}" for row in rows)])
