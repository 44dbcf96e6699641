"""Serves a recorded session to a client over streamable HTTP, on loopback."""

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, cast, final

import uvicorn
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.message import ServerMessageMetadata
from mcp_types import JSONRPCNotification, JSONRPCRequest
from pydantic import RootModel

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp.client_seat import ClientSeat
from vcr_gen.boundaries.mcp.ports import Progress
from vcr_gen.boundaries.mcp.rpc_endpoint import Handler, answer_of, progress_to, without_token
from vcr_gen.boundaries.mcp.rpc_messages import Message, Result, RpcError
from vcr_gen.errors import DivergenceError

__all__ = ["serve_http"]

HOST: Final = "127.0.0.1"
_SECONDS_TO_END: Final = 1


def serve_http(cassette: Cassette, port: int) -> None:
    """Answer clients at `http://127.0.0.1:PORT/mcp`, until a signal ends the process."""
    # Both complain about clients that leave while they are being answered, as clients may.
    for name in ("mcp", "uvicorn"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    asyncio.run(_serve(cassette, port))


async def _serve(cassette: Cassette, port: int) -> None:
    client = _HttpClient()
    server: Server[Any] = Server("vcr-gen")
    server.middleware[:] = [client.hear]
    app = server.streamable_http_app(host=HOST)
    config = uvicorn.Config(
        app,
        host=HOST,
        port=port,
        log_config=None,
        timeout_graceful_shutdown=_SECONDS_TO_END,
    )
    running = _Announced(config)
    client.stop = lambda: setattr(running, "should_exit", True)
    with cassette.peer() as peer:
        playing = asyncio.ensure_future(ClientSeat(cassette, client, None).play_server())
        await running.serve()
        peer.gone()
        await playing


@final
class _Announced(uvicorn.Server):
    """Says on stderr when clients can come, and returns after a signal."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let signals end the server; uvicorn's own way raises them again afterwards."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.handle_exit)
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            port = self.servers[0].sockets[0].getsockname()[1]
            print(f"vcr-gen: serving at http://{HOST}:{port}/mcp", file=sys.stderr, flush=True)


@final
class _HttpClient:
    """A client as far as the SDK's server lets us hear and reach it.

    What belongs to no request goes with the latest request that is not answered yet: over HTTP,
    each answer is a stream of its own.
    """

    handler: Handler
    stop: Any

    def __init__(self) -> None:
        self._asking: list[ServerRequestContext[Any, Any]] = []
        self._last: ServerRequestContext[Any, Any] | None = None

    async def hear(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Let the tape answer what the client says; the SDK's server has nothing to say."""
        params = dict(ctx.params or {})
        message = Message(ctx.method, without_token(params))
        self._last = ctx
        if ctx.request_id is None:
            if ctx.method not in ("notifications/cancelled", "notifications/progress"):
                with suppress(DivergenceError):  # the cassette raises it at its end
                    await self.handler.notify(message)
            return await call_next(ctx)
        self._asking.append(ctx)
        try:
            token = params.get("_meta", {}).get("progressToken")
            progress = None if token is None else progress_to(token, self._telling(ctx))
            answer = await answer_of(self.handler, message, progress)
        finally:
            self._asking.remove(ctx)
        if "error" in answer:
            raise MCPError(**answer["error"])
        return cast("dict[str, Any]", answer["result"])

    def _telling(self, context: ServerRequestContext[Any, Any]) -> Any:
        async def tell(frame: dict[str, Any], metadata: object = None) -> None:
            del metadata
            notification: Any = JSONRPCNotification(**frame)
            await context.session.send_notification(notification, context.request_id)

        return tell

    async def request(self, message: Message, progress: Progress | None) -> Result:
        """Ask the client."""
        del progress
        context = self._reachable()
        related = ServerMessageMetadata(related_request_id=context.request_id)
        asked: Any = JSONRPCRequest(jsonrpc="2.0", id=0, **_called(message))
        try:
            answer = await context.session.send_request(
                asked, RootModel[dict[str, Any]], metadata=related if self._asking else None
            )
        except MCPError as error:
            data = [] if error.data is None else [error.data]
            raise RpcError(error.code, error.message, *data) from None
        return answer.root

    async def notify(self, message: Message) -> None:
        """Tell the client something."""
        context = self._reachable()
        told: Any = JSONRPCNotification(jsonrpc="2.0", **_called(message))
        related = context.request_id if self._asking else None
        await context.session.send_notification(told, related)

    async def closed(self) -> None:
        """End as the recorded server did."""
        self.stop()

    def _reachable(self) -> ServerRequestContext[Any, Any]:
        context = self._asking[-1] if self._asking else self._last
        assert context is not None, "a recorded client spoke first"
        return context


def _called(message: Message) -> dict[str, Any]:
    params = {"params": message.params} if message.params else {}
    return {"method": message.method, **params}
