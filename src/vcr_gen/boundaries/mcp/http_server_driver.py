"""Drives a server that listens at a URL with a recorded session."""

import asyncio
import logging
from http import HTTPStatus
from typing import Any, Final, Self, final

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp.shared.message import ClientMessageMetadata

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp.frames import Frame
from vcr_gen.boundaries.mcp.sdk_streams import StreamWire
from vcr_gen.boundaries.mcp.server_driver import drive
from vcr_gen.errors import DivergenceError, UsageError, VcrError

_TIMEOUT: Final = httpx2.Timeout(30, read=300)
"""Seconds, as the SDK's clients have them."""
_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
"""The entry of `_meta` that says which protocol a request speaks, since 2026."""


def drive_url(cassette: Cassette, url: str, *, sse: bool) -> None:
    """Connect to a server, ask it what the recorded client asked, and compare what it says.

    It speaks streamable HTTP, or the older HTTP+SSE.
    """
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # what it complains of is a difference
    found: list[BaseException] = []
    try:
        asyncio.run(_drive(cassette, url, found, sse=sse))
    except (httpx2.HTTPError, ExceptionGroup) as error:
        cause = _http_error(error)
        if cause is None:
            raise
        shown = httpx2.URL(url).copy_with(userinfo=b"", query=None)
        raise UsageError(f"vcr-gen: cannot reach {shown}: {cause}") from error
    for difference in found:
        raise difference


async def _drive(cassette: Cassette, url: str, found: list[BaseException], *, sse: bool) -> None:
    async with (
        _http_client() as client,
        (
            sse_client(url, httpx_client_factory=_http_client)
            if sse
            else streamable_http_client(url, http_client=client)
        ) as (reads, writes),
    ):
        wire = _HttpWire(StreamWire(reads, writes))
        try:
            await drive(cassette, wire, wire, in_one_stream=sse)
        except (DivergenceError, VcrError) as error:  # the SDK would raise a group
            found.append(error)


def _http_error(error: Exception) -> Exception | None:
    """The error of HTTP in a group of errors, as the SDK raises them."""
    if not isinstance(error, ExceptionGroup):
        return error if isinstance(error, httpx2.HTTPError) else None
    return next(filter(None, map(_http_error, error.exceptions)), None)


def _http_client(
    headers: dict[str, str] | None = None,
    timeout: httpx2.Timeout | None = None,
    auth: httpx2.Auth | None = None,
) -> httpx2.AsyncClient:
    return _HttpClient(headers=headers, timeout=timeout or _TIMEOUT, auth=auth)


@final
class _HttpClient(httpx2.AsyncClient):
    """Turns a lost connection into an error status, once the server was reached.

    The SDK would raise the error and end the session, and its differences would be lost.
    """

    _was_reached = False

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request."""
        try:
            response = await super().send(request, **options)
        except httpx2.TransportError:
            if not self._was_reached:
                raise
            return httpx2.Response(HTTPStatus.BAD_GATEWAY, request=request)
        self._was_reached = True
        return response


@final
class _HttpWire:
    """Frames by the SDK's client, with the headers that a client of the SDK writes."""

    def __init__(self, streams: StreamWire) -> None:
        self._streams = streams
        self._version = ""
        self.close = streams.close

    async def send(self, frame: Frame, metadata: object = None) -> None:
        """Send a frame to the server."""
        del metadata
        headers = self._headers(frame)
        await self._streams.send(frame, ClientMessageMetadata(headers=headers))

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Frame:
        """The messages of the server."""
        frame, _ = await anext(self._streams)
        if not self._version and "result" in frame:
            self._version = frame["result"].get("protocolVersion", "")
        return frame

    def _headers(self, frame: Frame) -> dict[str, str]:
        params = frame.get("params", {})
        version = params.get("_meta", {}).get(_VERSION)
        if version is None:
            return {MCP_PROTOCOL_VERSION_HEADER: self._version} if self._version else {}
        method = frame["method"]
        headers = {MCP_PROTOCOL_VERSION_HEADER: version, MCP_METHOD_HEADER: method}
        name = params.get(NAME_BEARING_METHODS.get(method))
        return headers | ({MCP_NAME_HEADER: encode_header_value(name)} if name else {})
