"""Requests and responses of httpx whose bodies have been read."""

from __future__ import annotations

from typing import Any, Final

import httpx

from vcr_gen.runtime.codec.libraries.library_codecs import Functions

__all__ = ["codec_of"]

_KEPT: Final = ("http_version", "reason_phrase")
"""The extensions of a response that are data; others are live, such as the connection."""


def codec_of(cls: type[Any]) -> Functions | None:
    """How values of a class of httpx are stored."""
    if cls is httpx.Response:
        return _write_response, _read_response
    if cls is httpx.Request:
        return _write_request, _read_request
    if cls is httpx.URL:
        return str, httpx.URL
    if cls is httpx.Headers:
        return _write_headers, _read_headers
    return None


def _write_headers(headers: httpx.Headers) -> list[list[str]]:
    return [[name.decode("latin-1"), value.decode("latin-1")] for name, value in headers.raw]


def _read_headers(stored: Any) -> httpx.Headers:
    pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in stored]
    return httpx.Headers(pairs)


def _write_request(request: httpx.Request) -> dict[str, object]:
    return {
        "method": request.method,
        "url": str(request.url),
        "headers": _write_headers(request.headers),
        "content": request.content,
    }


def _read_request(stored: Any) -> httpx.Request:
    headers = _read_headers(stored["headers"])
    request = httpx.Request(stored["method"], stored["url"], content=stored["content"])
    request.headers = headers
    return request


def _write_response(response: httpx.Response) -> dict[str, object]:
    kept = {name: response.extensions[name] for name in _KEPT if name in response.extensions}
    request = response._request  # the property raises where there is none
    return {
        "status": response.status_code,
        "headers": _write_headers(response.headers),
        "content": response.content,
        "extensions": kept,
        "request": None if request is None else _write_request(request),
    }


def _read_response(stored: Any) -> httpx.Response:
    request = stored["request"]
    response = httpx.Response(
        stored["status"],
        content=stored["content"],  # decoded, so `content-encoding` must not be there yet
        extensions=stored["extensions"],
        request=None if request is None else _read_request(request),
    )
    response.headers = _read_headers(stored["headers"])
    return response
