"""Checks recorded requests and results against the schemas of another version of the server."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from vcr_gen.boundaries.mcp.listings.recorded_listings import Kind, Listed, Request, Session
from vcr_gen.boundaries.mcp.listings.schema_changes import FieldChange
from vcr_gen.boundaries.mcp.listings.schema_findings import Level
from vcr_gen.boundaries.mcp.listings.schema_forms import Document, UndecidableError, text_of
from vcr_gen.boundaries.mcp.listings.server_comparison import ServerChange, arguments_schema
from vcr_gen.runtime.codec.placeholders import PLACEHOLDER

_CALLS: Final[Mapping[str, Kind]] = {"tools/call": "tool", "prompts/get": "prompt"}
_SHOWN: Final = 160


@dataclass(frozen=True, slots=True)
class CheckedCalls:
    """How many recorded requests were checked, and what was found."""

    count: int
    changes: tuple[ServerChange, ...]


def check_calls(before: Session, after: Session) -> CheckedCalls:
    """Check every recorded call of a tool or a prompt against what the later server lists."""
    count = 0
    found: list[ServerChange] = []
    for request in before.requests:
        kind = _CALLS.get(request.method)
        listing = after.listing(kind) if kind else None
        if kind is None or listing is None or not _was_accepted(request):
            continue
        count += 1
        name = str(request.params.get("name", ""))
        new = listing.by_key().get(name)
        older = before.listing(kind)
        old = older.by_key().get(name) if older else None
        if new is None:
            if listing.is_complete:
                message = f"would be refused: there is no {kind} {name}"
                found.append(_change(request, "breaking", message, listing.line))
            continue
        for level, message in _problems(request, old, new):
            found.append(_change(request, level, message, new.line))
    return CheckedCalls(count, tuple(replace(each, server=before.server) for each in found))


def _was_accepted(request: Request) -> bool:
    is_error = isinstance(request.result, Mapping) and request.result.get("isError")
    return request.status == "returned" and not is_error


def _change(request: Request, level: Level, message: str, line: int) -> ServerChange:
    field = FieldChange("", "request", level, message)
    return ServerChange("request", request.words, field, request.line, line)


def _problems(request: Request, old: Listed | None, new: Listed) -> Iterator[tuple[Level, str]]:
    """What is wrong with a request, and with the result that it had."""
    arguments = request.params.get("arguments") or {}
    wrong = _errors(arguments, _input(new), "arguments")
    if wrong:
        was_valid = old is None or not _errors(arguments, _input(old), "arguments")
        if _has_secrets(arguments):
            yield "review", f"may be refused, but secrets in it are redacted: {wrong}"
        elif was_valid:
            yield "breaking", f"would be refused: {wrong}"
        else:
            yield "review", f"does not match the schema of either version: {wrong}"
    result, schema = request.result.get("structuredContent"), new.data.get("outputSchema")
    if schema is not None and result is not None and not _has_secrets(result):
        wrong = _errors(result, schema, "structuredContent")
        if wrong:
            yield "review", f"the recorded result does not match the new schema: {wrong}"


def _input(item: Listed) -> Any:
    return item.data.get("inputSchema", {}) if item.kind == "tool" else arguments_schema(item.data)


def _errors(value: Any, schema: Any, name: str) -> str:
    """What is wrong with a value, in words; empty if it is valid, or if that cannot be told."""
    try:
        errors = Document(schema).errors(value)
    except UndecidableError:
        return ""
    if not errors:
        return ""
    first = errors[0]
    message = first.message if len(first.message) <= _SHOWN else f"{first.message[:_SHOWN]}…"
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{name}{first.json_path[1:]}: {message}{more}"


def _has_secrets(value: object) -> bool:
    return PLACEHOLDER.search(text_of(value)) is not None
