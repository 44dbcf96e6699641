"""Requests and responses of httpx whose bodies have been read."""

from __future__ import annotations

from typing import Any, Final

import httpx

from vcr_gen.runtime.codec.libraries.library_codecs import Functions

_KEPT: Final = ("http_version", "reason_phrase", "sni_hostname", "target", "timeout")
"""The extensions of messages that are data; others are live, such as the connection."""


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


def _kept(extensions: Any) -> dict[str, object]:
    return {name: extensions[name] for name in _KEPT if name in extensions}


def _write_request(request: httpx.Request) -> dict[str, object]:
    return {
        "method": request.method,
        "url": str(request.url),
        "headers": _write_headers(request.headers),
        "content": request.content,
        "extensions": _kept(request.extensions),
    }


def _read_request(stored: Any) -> httpx.Request:
    request = httpx.Request(
        stored["method"],
        stored["url"],
        content=stored["content"],
        extensions=stored.get("extensions"),
    )
    request.headers = _read_headers(stored["headers"])
    return request


def _write_response(response: httpx.Response) -> dict[str, object]:
    request = response._request  # the property raises where there is none
    stored = {
        "status": response.status_code,
        "headers": _write_headers(response.headers),
        "content": response.content,
        "extensions": _kept(response.extensions),
        "request": None if request is None else _write_request(request),
    }
    if response.encoding != (response.charset_encoding or "utf-8"):  # the program has set it
        stored["encoding"] = response.encoding
    if hasattr(response, "_elapsed"):  # not so if no client has received it
        stored["elapsed"] = response.elapsed
    if response.history:
        stored["history"] = [_write_response(each) for each in response.history]
    return stored


def _read_response(stored: Any) -> httpx.Response:
    request = stored["request"]
    response = httpx.Response(
        stored["status"],
        content=stored["content"],  # decoded, so `content-encoding` must not be there yet
        extensions=stored["extensions"],
        request=None if request is None else _read_request(request),
        history=[_read_response(each) for each in stored.get("history", ())],
    )
    response.headers = _read_headers(stored["headers"])
    if "encoding" in stored:
        response.encoding = stored["encoding"]
    if "elapsed" in stored:
        response.elapsed = stored["elapsed"]
    return response
