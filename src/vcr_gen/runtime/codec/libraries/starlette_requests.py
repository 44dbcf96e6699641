"""Requests of Starlette: what their scope says, without the application, and the body if read."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from starlette.requests import HTTPConnection, Request

from vcr_gen.runtime.codec.libraries.library_codecs import Functions

_OF_APPLICATION: Final = frozenset(
    {"app", "endpoint", "route", "router", "starlette.exception_handlers"}
)
"""Entries of a scope that lead to the program itself; those of FastAPI begin with its name."""
_BYTES: Final = ("query_string", "raw_path")
_TUPLES: Final = ("client", "server")
_WITHOUT_BODY: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def codec_of(cls: type[Any]) -> Functions | None:
    """How requests are stored; responses are ordinary objects."""
    if cls is HTTPConnection or issubclass(cls, Request):
        return _write, partial(_read, cls)
    return None


def _write(request: Any) -> dict[str, object]:
    scope = {
        key: value
        for key, value in request.scope.items()
        if key not in _OF_APPLICATION and not key.startswith("fastapi_")
    }
    for key in _BYTES:
        if scope.get(key) is not None:
            scope[key] = scope[key].decode("latin-1")
    for key in _TUPLES:
        if scope.get(key) is not None:
            scope[key] = list(scope[key])
    pairs = scope.get("headers", ())
    scope["headers"] = [[each.decode("latin-1") for each in pair] for pair in pairs]
    body = getattr(request, "_body", b"" if scope.get("method") in _WITHOUT_BODY else None)
    return {"scope": scope, "body": body}


def _read(cls: type[Any], stored: Any) -> object:
    scope = dict(stored["scope"])
    for key in _BYTES:
        if scope.get(key) is not None:
            scope[key] = scope[key].encode("latin-1")
    for key in _TUPLES:
        if scope.get(key) is not None:
            scope[key] = tuple(scope[key])
    scope["headers"] = [
        (name.encode("latin-1"), value.encode("latin-1")) for name, value in scope["headers"]
    ]
    if cls is HTTPConnection:
        return cls(scope)
    request = cls(scope, _no_body)
    if stored["body"] is not None:
        request._body = stored["body"]
    return request


async def _no_body() -> Any:
    raise RuntimeError("the body of this request was not recorded: read it before it is passed on")
