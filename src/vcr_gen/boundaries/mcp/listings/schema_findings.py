"""What the comparison of two schemas finds, and the words for it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from vcr_gen.boundaries.mcp.listings.schema_forms import text_of
from vcr_gen.runtime.codec import MISSING

Level: TypeAlias = Literal["breaking", "review", "compatible", "note"]
"""How bad a change is; `review` if it cannot be decided, `note` if it is about descriptions."""

_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class Finding:
    """A place where what one side sends may not be what the other side accepts."""

    path: str
    """The place, such as `inputSchema.properties.query`."""
    keyword: str
    level: Level
    sent: Any = MISSING
    received: Any = MISSING
    reason: str = ""
    """Why it cannot be decided, if it cannot."""


def doubtful(finding: Finding) -> Finding:
    """A finding to review, because it may be a false alarm."""
    return replace(finding, level="review") if finding.level == "breaking" else finding


def words_of(keyword: str, before: Any, after: Any, reason: str = "") -> str:
    """What has changed, in words; the keyword is empty if the place says it."""
    match keyword:
        case "property":
            text = "added, optional" if before is MISSING else "removed"
        case "required" if after is True:
            text = "added, required" if before is MISSING else "is required now"
        case "required":
            text = "is no longer required" if after is False else "was required, and is removed"
        case "values":
            text = _values(before, after)
        case "additionalProperties" if isinstance(after, bool) and isinstance(before, bool):
            text = f"other properties are {'allowed now' if after else 'no longer allowed'}"
        case "alternatives":
            lost = after is MISSING
            text = f"{_shown(before if lost else after)} is "
            text += "no longer among the alternatives" if lost else "a new alternative"
        case _ if before is MISSING and after is MISSING:
            text = f"{keyword} changed"
        case _ if before is MISSING:
            text = f"{keyword} {_shown(after)} added"
        case _ if after is MISSING:
            text = f"{keyword} {_shown(before)} removed"
        case _:
            text = f"{keyword} {_shown(before)} became {_shown(after)}"
    text = text.lstrip()
    return f"{text}: {reason}" if reason else text


def _values(before: Any, after: Any) -> str:
    """Which values are allowed now, or no longer."""
    if before is MISSING:
        return f"only {_listed(after)} allowed now"
    if after is MISSING:
        return f"no longer only {_listed(before)}"
    lost = [value for value in before if value not in after]
    new = [value for value in after if value not in before]
    texts = [f"{_listed(lost)} no longer allowed"] if lost else []
    return ", ".join([*texts, *([f"{_listed(new)} allowed now"] if new else [])])


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(map(_shown, values)) or "nothing"


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return " or ".join(value) or "nothing"
    text = text_of(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
