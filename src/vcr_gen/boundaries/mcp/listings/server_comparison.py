"""Compares what two recorded servers offer: which changes break their clients."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Any, Final, Literal, TypeAlias

from vcr_gen.boundaries.mcp.listings.recorded_listings import KINDS, Kind, Listed, Session
from vcr_gen.boundaries.mcp.listings.schema_changes import (
    FieldChange,
    compare_inputs,
    compare_outputs,
)
from vcr_gen.boundaries.mcp.listings.schema_findings import Level, words_of
from vcr_gen.boundaries.mcp.listings.schema_forms import Schema
from vcr_gen.runtime.codec import MISSING

_SIMILAR: Final = 0.6
"""From where on two names are alike enough for one to be the other, renamed."""
_DESCRIPTIONS: Final = ("title", "description", "icons", "_meta")
_HINTS: Final[Mapping[str, bool]] = {
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
    "readOnlyHint": False,
}
"""The hints of a tool about its effects, which clients show to users, with their defaults."""
_NOTICES: Final = ("listChanged", "experimental", "extensions")
"""Capabilities without which most clients still work."""
_TASKS: Final = "execution.taskSupport"

Changes: TypeAlias = Iterator[FieldChange]


@dataclass(frozen=True, slots=True)
class ServerChange:
    """A change between two sessions: of an item, or of the server itself."""

    kind: Kind | Literal["request"]
    """What changed; `request` if a recorded request is affected."""
    name: str
    change: FieldChange
    before_line: int = 0
    """Its line in the earlier cassette; 0 if it has none."""
    after_line: int = 0
    renamed_to: str = field(default="", kw_only=True)
    server: str = field(default="", kw_only=True)
    """The name of the server, if the cassette has several."""

    @property
    def level(self) -> Level:
        """How bad it is."""
        return self.change.level


def compare_sessions(before: Session, after: Session) -> list[ServerChange]:
    """All changes of the server and of what it lists."""
    lines = before.greeting_line, after.greeting_line
    found = [
        ServerChange("server", "", change, *lines) for change in _server_changes(before, after)
    ]
    for kind in KINDS:
        found += _compare_listings(kind, before, after)
    return [replace(each, server=before.server) for each in found]


def _server_changes(before: Session, after: Session) -> Changes:
    if not before.greeting or not after.greeting:
        return
    yield from _capabilities(before.capabilities, after.capabilities, "capabilities")
    for name in ("protocolVersion", "instructions"):
        left, right = before.greeting.get(name, MISSING), after.greeting.get(name, MISSING)
        if left != right:
            yield _field(name, left, right, "note")


def _field(name: str, left: Any, right: Any, level: Level) -> FieldChange:
    return FieldChange(name, name, level, words_of("", left, right), left, right)


def _capabilities(before: Mapping[str, Any], after: Mapping[str, Any], path: str) -> Changes:
    for name in sorted({*before, *after}):
        left, right = before.get(name, False), after.get(name, False)
        place = f"{path}.{name}"
        if isinstance(left, Mapping) and isinstance(right, Mapping):
            yield from _capabilities(left, right, place)
        elif left != right:
            lost = left is not False and right is False
            level: Level = "compatible" if left is False else "review"
            if lost and not any(notice in place for notice in _NOTICES):
                level = "breaking"
            message = "removed" if lost else "added" if left is False else "changed"
            yield FieldChange(place, "capability", level, message, left, right)


def _compare_listings(kind: Kind, before: Session, after: Session) -> Iterator[ServerChange]:
    old, new = before.listing(kind), after.listing(kind)
    if old is None:
        return
    if new is None or not new.is_complete:
        if old.items:
            reason = "does not list them" if new is None else "lists only some of them"
            message = f"cannot be compared: the later session {reason}"
            change = FieldChange(KINDS[kind].method, "listing", "review", message)
            yield ServerChange("server", "", change, old.line, new.line if new else 0)
        if new is None:
            return
    olds, news = old.by_key(), new.by_key()
    removed = [item for key, item in olds.items() if key not in news]
    added = [item for key, item in news.items() if key not in olds]
    for item in removed if new.is_complete else ():
        yield _removed(item, added, new.line)
    for item in added:
        if old.is_complete:
            change = FieldChange("", "item", "compatible", "added", MISSING, dict(item.data))
            yield ServerChange(kind, item.key, change, 0, item.line)
    for key, item in olds.items():
        if key in news:
            other = news[key]
            for change in _item_changes(item, other):
                yield ServerChange(kind, key, change, item.line, other.line)


def _removed(item: Listed, added: Sequence[Listed], line: int) -> ServerChange:
    name = _renamed(item, added)
    message = f"removed; it may be {name} now" if name else "removed"
    change = FieldChange("", "item", "breaking", message, dict(item.data), MISSING)
    return ServerChange(item.kind, item.key, change, item.line, line, renamed_to=name)


def _renamed(item: Listed, added: Sequence[Listed]) -> str:
    """The new item that is most like one that was removed; empty if none is."""

    def likeness(other: Listed) -> float:
        names = SequenceMatcher(None, item.key, other.key).ratio()
        same = [
            name
            for name in ("description", "inputSchema", "arguments", "name", "title")
            if item.data.get(name) == other.data.get(name) and _says_much(item.data.get(name))
        ]
        return names + len(same) / 2

    best = max(added, key=likeness, default=None)
    return best.key if best is not None and likeness(best) >= _SIMILAR else ""


def _mapping(item: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = item.get(name)
    return found if isinstance(found, Mapping) else {}


def _says_much(value: object) -> bool:
    """Whether a field can tell an item from others: a schema without parameters cannot."""
    return bool(value.get("properties") if isinstance(value, Mapping) else value)


def _item_changes(before: Listed, after: Listed) -> Changes:
    old, new = before.data, after.data
    match before.kind:
        case "tool":
            yield from compare_inputs(
                old.get("inputSchema", {}), new.get("inputSchema", {}), "inputSchema"
            )
            yield from _outputs(old.get("outputSchema"), new.get("outputSchema"))
            yield from _tasks(old, new)
        case "prompt":
            yield from compare_inputs(arguments_schema(old), arguments_schema(new), "arguments")
        case _:
            left, right = old.get("mimeType", MISSING), new.get("mimeType", MISSING)
            if left != right:
                yield _field("mimeType", left, right, "review")
    names = _DESCRIPTIONS if before.kind in ("tool", "prompt") else ("name", *_DESCRIPTIONS)
    for name in names:
        left, right = old.get(name, MISSING), new.get(name, MISSING)
        if left != right:
            yield _field(name, left, right, "note")
    yield from _annotations(_mapping(old, "annotations"), _mapping(new, "annotations"))


def _annotations(before: Mapping[str, Any], after: Mapping[str, Any]) -> Changes:
    for name in sorted({*before, *after}):
        left, right = before.get(name, MISSING), after.get(name, MISSING)
        if left != right:
            usual = _HINTS.get(name)
            is_new = usual is not None and before.get(name, usual) != after.get(name, usual)
            yield _field(f"annotations.{name}", left, right, "review" if is_new else "note")


def _outputs(before: Schema, after: Schema) -> Changes:
    if before is not None and after is not None:
        yield from compare_outputs(before, after, "outputSchema")
    elif before is not None:
        message = "removed: results may have any structure now"
        yield FieldChange("outputSchema", "outputSchema", "breaking", message, before)
    elif after is not None:
        yield FieldChange("outputSchema", "outputSchema", "compatible", "added", MISSING, after)


def _tasks(before: Mapping[str, Any], after: Mapping[str, Any]) -> Changes:
    """Whether a tool runs as a task: `forbidden`, `optional` or `required`."""
    left, right = (
        _mapping(side, "execution").get("taskSupport", "forbidden") for side in (before, after)
    )
    if left != right:
        level: Level = "compatible" if right == "optional" else "breaking"
        yield _field(_TASKS, left, right, level)


def arguments_schema(prompt: Mapping[str, Any]) -> Schema:
    """The arguments of a prompt as a schema: they are texts."""
    arguments = [each for each in prompt.get("arguments") or () if isinstance(each, Mapping)]
    properties = {
        str(each.get("name")): {
            "type": "string",
            **{name: each[name] for name in ("title", "description") if name in each},
        }
        for each in arguments
    }
    required = [str(each.get("name")) for each in arguments if each.get("required")]
    return {"type": "object", "properties": properties, "required": required}
