"""Field paths: how a rule names a place in a call.

    command                     the argument `command`, and all inside it
    command[2]                  one item of a list; counted from 0
    options.headers['x-id']     a field, then an entry of a mapping (or of a list of pairs)
    steps[*].started            in every item, or every entry of a mapping
    tree.**.stamp               at any depth
    body.$json.order.id         inside JSON that a text holds
    $result.id   $item.id       what the call returned; what its stream gives
    $raised.args[0]   $sent     the exception it raised; what was sent into its stream
    *.trace_id                  in any of these

A word with a dollar belongs to the path; any other one is yours. The generator checks paths with
this module and the runtime follows them (`vcr_gen.runtime.codec.field_paths`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias, final

from vcr_gen.errors import UsageError


class Wild(Enum):
    """A step that is not a name or an index."""

    ANY = "*"
    """Every field, entry or item."""
    DEEP = "**"
    """Any number of levels, including none."""
    JSON = "$json"
    """Into JSON inside a text."""


Step: TypeAlias = str | int | Wild
"""The name of a field, the key of an entry, the index of an item, or a wildcard."""

ROOTS: Final = ("$result", "$item", "$raised", "$sent")
"""The roots of paths that do not start at a parameter."""

_STEP: Final = re.compile(
    r"\.(?P<wild>\*\*|\*|\$json\b)"
    r"|\.(?P<name>[^\W\d]\w*)"
    r"|\[(?P<index>[0-9]{1,9})\]"
    r"|\[(?P<any>\*)\]"
    r"|\[(?P<quoted>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")\]"
)
_ROOT: Final = re.compile(r"\*(?!\*)|\$?[^\W\d]\w*")
_ESCAPE: Final = re.compile(r"\\(.)")
_HINT: Final = (
    "a path is a parameter (or $result, $item, $raised, $sent) and then .field, [0], [*], "
    "['a key'], .** or .$json, such as `request.body.$json.id`"
)


@final
@dataclass(frozen=True, slots=True)
class FieldPath:
    """A place in a call, or a pattern of places."""

    text: str
    """As it was written."""
    root: str
    """The parameter, one of `ROOTS`, or `*` for each of them."""
    steps: tuple[Step, ...] = ()
    """The steps from the root."""

    def __str__(self) -> str:
        return self.text

    def starts_at(self, root: str) -> bool:
        """Whether the path can name places below that parameter or result."""
        return self.root in ("*", root)

    def covers(self, place: "FieldPath") -> bool:
        """Whether this path names the place or a place around it."""
        return self.starts_at(place.root) and _covers(self.steps, place.steps)


def parse_path(text: str) -> FieldPath:
    """Parse a path; raise UsageError, with the column and a hint, if it is invalid."""
    found = _ROOT.match(text)
    if found is None or (found[0][0] == "$" and found[0] not in ROOTS):
        raise _wrong(text, 0)
    steps: list[Step] = []
    position = found.end()
    while position < len(text):
        step = _STEP.match(text, position)
        if step is None:
            raise _wrong(text, position)
        steps.append(_step(step))
        position = step.end()
    if steps and steps[-1] is Wild.DEEP:
        raise _wrong(text, position, "`.**` must be followed by a step, such as `.**.id`")
    return FieldPath(text, found[0], tuple(steps))


def step_text(step: Step) -> str:
    """A step, spelled as in a path."""
    if isinstance(step, Wild):
        return "[*]" if step is Wild.ANY else f".{step.value}"
    if isinstance(step, int):
        return f"[{step}]"
    if step.isidentifier():
        return f".{step}"
    escaped = step.replace("\\", "\\\\").replace("'", "\\'")
    return f"['{escaped}']"


def _step(found: "re.Match[str]") -> Step:
    if found["wild"] or found["any"]:
        return Wild(found["wild"] or found["any"])
    if found["index"]:
        return int(found["index"])
    return found["name"] or _ESCAPE.sub(r"\1", found["quoted"][1:-1])


def _wrong(text: str, position: int, message: str = "") -> UsageError:
    rest = text[position:]
    got = repr(rest) if rest else "its end"
    message = message or f"expected {'a step' if position else 'a start'}; got {got}"
    return UsageError(f"field path {text!r}, column {position + 1}: {message}\n\nhint: {_HINT}")


def _covers(pattern: Sequence[Step], place: Sequence[Step]) -> bool:
    """Whether the pattern matches a prefix of the place."""
    for i, step in enumerate(pattern):
        if step is Wild.DEEP:
            rest = pattern[i + 1 :]
            return any(_covers(rest, place[k:]) for k in range(i, len(place)))
        if i >= len(place) or not _agree(step, place[i]):
            return False
    return True


def _agree(step: Step, other: Step) -> bool:
    if step is Wild.ANY:
        return other is not Wild.JSON
    return step == other or (isinstance(step, int) and str(step) == other)
