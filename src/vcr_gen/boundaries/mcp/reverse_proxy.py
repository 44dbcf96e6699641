"""Passes HTTP requests on to a server, and its responses back as they come."""

import sys
from contextlib import suppress
from typing import Final, final
from urllib.parse import urlsplit

import anyio
import httpx2
from mcp.server.transport_security import TransportSecurityMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import Receive, Scope, Send

from vcr_gen.boundaries.mcp.http_exchanges import Exchange, HttpSession, SecondSessionError
from vcr_gen.boundaries.mcp.loopback_server import SECURITY

_SECONDS_TO_CONNECT: Final = 30
_OF_ONE_HOP: Final = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer "
    b"transfer-encoding upgrade".split()
)
_OURS: Final = _OF_ONE_HOP | {b"host", b"content-length", b"accept-encoding"}
"""Headers of a request that are written anew."""


@final
class ReverseProxy:
    """An ASGI application in the place of the server at `url`; the session is told what passes.

    `origin` is the beginning of this proxy's own URLs, which clients see in the place of the
    server's.
    """

    def __init__(self, url: str, origin: str, session: HttpSession) -> None:
        parts = urlsplit(url)
        self._server = f"{parts.scheme}://{parts.netloc}"
        self._path = parts.path or "/"
        self._query = parts.query
        self._session = session
        self._security = TransportSecurityMiddleware(SECURITY)
        public = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        self.url: Final = f"{origin}{self._path}"
        self.shown_url: Final = f"{public}{self._path}"
        """The server's URL, without credentials."""
        self._names = public.encode(), origin.encode()
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
        timeout = httpx2.Timeout(_SECONDS_TO_CONNECT, read=None)
        self._client = httpx2.AsyncClient(timeout=timeout, limits=limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request, unless it would begin another session."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        refusal = await self._security.validate_request(request)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        with suppress(ClientDisconnect):
            body = await request.body()
            try:
                exchange = self._session.begin(request.method, request.headers, body)
            except SecondSessionError as error:
                print(f"vcr-gen: {error}", file=sys.stderr, flush=True)
                await JSONResponse(error.answer, 409)(scope, receive, send)
                return
            await self._exchange(request, body, exchange, send)

    async def _exchange(
        self, request: Request, body: bytes, exchange: Exchange, send: Send
    ) -> None:
        """Forward a request and its response, until either side leaves."""

        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            exchange.client_left()
            tasks.cancel_scope.cancel()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch)
            try:
                response = await self._client.send(self._forwarded(request, body), stream=True)
            except httpx2.HTTPError as error:
                exchange.answered(502, {})
                exchange.ended()
                complaint = f"vcr-gen: cannot reach {self.shown_url}: {error}"
                await PlainTextResponse(complaint, 502)(request.scope, request.receive, send)
            else:
                try:
                    await self._pass_back(response, exchange, send)
                finally:
                    with anyio.CancelScope(shield=True):
                        await response.aclose()
            tasks.cancel_scope.cancel()

    def _forwarded(self, request: Request, body: bytes) -> httpx2.Request:
        path = request.scope["raw_path"].decode("ascii")
        query = request.scope["query_string"].decode("ascii")
        if path == self._path:
            query = query or self._query
        headers = [each for each in request.headers.raw if each[0] not in _OURS]
        return httpx2.Request(
            request.method,
            f"{self._server}{path}{'?' if query else ''}{query}",
            headers=[*headers, (b"accept-encoding", b"identity")],
            content=body or None,
        )

    async def _pass_back(self, response: httpx2.Response, exchange: Exchange, send: Send) -> None:
        exchange.answered(response.status_code, response.headers)
        headers = [
            (name.lower(), self._ours(value) if name.lower() == b"location" else value)
            for name, value in response.headers.raw
            if name.lower() not in _OF_ONE_HOP
        ]
        start = {"type": "http.response.start", "status": response.status_code}
        await send({**start, "headers": headers})
        try:
            async for piece in response.aiter_raw():
                exchange.heard(piece)
                is_address = piece.startswith(b"event: endpoint")
                passed = self._ours(piece) if is_address else piece
                await send({"type": "http.response.body", "body": passed, "more_body": True})
        except httpx2.HTTPError:  # the server has gone: so does the client's connection
            exchange.ended()
            raise
        exchange.ended()
        await send({"type": "http.response.body"})

    def _ours(self, text: bytes) -> bytes:
        """A text in which the server says where it is, with the address of this proxy instead."""
        return text.replace(*self._names, 1)
