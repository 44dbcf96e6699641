"""JSON-RPC messages in files of other tools, checked."""

from typing import Any

from vcr_gen.boundaries.foreign_documents import Document
from vcr_gen.boundaries.mcp.frames import Frame


def message_in(found: Document) -> Frame | None:
    """A message of any kind; None if it is none of JSON-RPC."""
    if not isinstance(found.value, dict):
        return None
    if "method" in found:
        return request_in(found) if "id" in found.value else notification_in(found)
    if "result" in found or "error" in found:
        return answer_in(found, _number(found["id"]))
    return None


def request_in(found: Document) -> Frame:
    """A request."""
    return {**notification_in(found), "id": _number(found["id"])}


def notification_in(found: Document) -> Frame:
    """A notification, or a request without its number."""
    params = {"params": _mapping(found["params"])} if "params" in found else {}
    return {"jsonrpc": "2.0", "method": found["method"].text(), **params}


def answer_in(found: Document, number: int | str) -> Frame:
    """The answer to a request."""
    if "error" not in found:
        return {"jsonrpc": "2.0", "id": number, "result": _mapping(found["result"])}
    error = found["error"]
    data = {"data": error["data"].value} if "data" in error else {}
    said = {"code": error["code"].number(), "message": error["message"].text(default=""), **data}
    return {"jsonrpc": "2.0", "id": number, "error": said}


def _number(found: Document) -> int | str:
    if isinstance(found.value, float) and found.value.is_integer():
        return int(found.value)
    return found.value if isinstance(found.value, str) else found.number()


def _mapping(found: Document) -> dict[str, Any]:
    if not isinstance(found.value, dict):
        raise found.wrong("a mapping")
    return found.value
