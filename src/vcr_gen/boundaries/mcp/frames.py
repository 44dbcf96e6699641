"""JSON-RPC messages as they come over a wire, from programs of all kinds."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

Frame: TypeAlias = dict[str, Any]
"""A JSON-RPC message. If it has `params`, and these have `_meta`, both are objects."""

Number: TypeAlias = int | str
"""The `id` of a request, or the token of its progress."""


def frames_in(text: bytes) -> Iterator[Frame]:
    """The messages in a text: none in one that is not JSON, several in a batch."""
    try:
        value = json.loads(text.decode(errors="replace"))
    except ValueError:
        return
    for each in value if isinstance(value, list) else [value]:
        frame = frame_of(each)
        if frame is not None:
            yield frame


def frame_of(value: object) -> Frame | None:
    """A value as a message, or None if it is not one. A null instead of an object is left out."""
    if not isinstance(value, dict) or isinstance(value.get("id"), dict | list):
        return None
    if "method" not in value:
        return value if _is_answer(value) else None
    params = value.get("params") or {}
    if not isinstance(value["method"], str) or not isinstance(params, dict):
        return None
    if not isinstance(params.get("_meta", {}), dict):
        params = {name: each for name, each in params.items() if name != "_meta"}
    rest = {name: each for name, each in value.items() if name != "params"}
    return {**rest, "params": params} if params else rest


def number_in(params: Mapping[str, Any], name: str) -> Number | None:
    """A number among the parameters, or None."""
    found = params.get(name)
    return found if isinstance(found, int | str) else None


def _is_answer(value: Mapping[str, Any]) -> bool:
    error = value.get("error")
    if error is None:
        return "result" in value
    return isinstance(error, dict) and {"code", "message"} <= error.keys()
