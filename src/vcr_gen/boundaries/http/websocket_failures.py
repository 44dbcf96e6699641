"""Exceptions of websockets: what the tape keeps of their attributes, and how they are made."""

from collections.abc import Mapping
from typing import Any

from websockets.frames import Close
from websockets.http11 import Response

from vcr_gen.boundaries.http.bodies import piece_from_plain, piece_to_plain
from vcr_gen.boundaries.http.exchanges import head_from_plain, head_to_plain
from vcr_gen.boundaries.http.websocket_handshake import response_from, response_of


def details_of(error: BaseException) -> dict[str, Any] | None:
    """The attributes of an exception; None if it has none, or one that cannot be stored."""
    found = {name: _to_plain(value) for name, value in vars(error).items() if name[0] != "_"}
    return None if ... in found.values() else found or None


def rebuilt(
    cls: type[BaseException], details: dict[str, Any], _cause: BaseException | None
) -> BaseException | None:
    """An exception with these attributes, which are also its arguments."""
    attributes = {name: _from_plain(value) for name, value in details.items()}
    error = cls.__new__(cls, *attributes.values())
    vars(error).update(attributes)
    return error


def _to_plain(value: object) -> Any:
    """A stored attribute; an ellipsis if it cannot be stored."""
    match value:
        case Close():
            return {"code": int(value.code), "reason": value.reason}
        case Response():
            head = head_to_plain(response_of(value))
            body = bytes(value.body or b"")
            return {**head, "body": piece_to_plain(body)} if body else head
        case bool() | int() | str() | None:
            return value
    return ...


def _from_plain(stored: Any) -> object:
    match stored:
        case {"code": int(code), "reason": str(reason)}:
            return Close(code, reason)
        case Mapping():
            body = piece_from_plain(stored["body"]) if "body" in stored else b""
            return response_from(head_from_plain(stored), body)
    return stored
