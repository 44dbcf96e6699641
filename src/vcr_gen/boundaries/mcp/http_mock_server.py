"""Serves a recorded session to a client over streamable HTTP, on loopback."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import Any, cast, final

import anyio
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.message import ServerMessageMetadata
from mcp_types import JSONRPCNotification, JSONRPCRequest
from pydantic import RootModel
from starlette.types import ASGIApp, Receive, Scope, Send

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp.breakable_responses import BreakableResponses
from vcr_gen.boundaries.mcp.client_seat import ClientSeat
from vcr_gen.boundaries.mcp.faults import Fault
from vcr_gen.boundaries.mcp.loopback_server import SECURITY, LoopbackServer
from vcr_gen.boundaries.mcp.ports import Progress
from vcr_gen.boundaries.mcp.rpc_endpoint import Handler, answer_of, progress_to, without_token
from vcr_gen.boundaries.mcp.rpc_messages import Message, Result, RpcError
from vcr_gen.boundaries.mcp.subscriptions import Subscriptions, subscription_in
from vcr_gen.errors import DivergenceError


def serve_http(cassette: Cassette, port: int, *, faults: Sequence[Fault] = ()) -> None:
    """Answer clients at `http://127.0.0.1:PORT/mcp`, until a signal ends the process."""
    asyncio.run(_serve(cassette, LoopbackServer(port), faults))


async def _serve(cassette: Cassette, server: LoopbackServer, faults: Sequence[Fault]) -> None:
    with cassette.peer() as peer:
        async with anyio.create_task_group() as tasks:
            client = _HttpClient(server)
            responses = BreakableResponses()
            seat = ClientSeat(cassette, client, None, faults=faults, connection=responses)
            client.when_it_speaks = lambda: tasks.start_soon(seat.play_server)
            sdk: Server[Any] = Server("vcr-gen")
            sdk.middleware[:] = [client.hear]
            app = client.watched(sdk.streamable_http_app(transport_security=SECURITY))
            await server.run(responses.of(app), f"serving at {server.origin}/mcp")
            peer.gone()


@final
class _HttpClient:
    """A client, as far as the SDK's server gives access to it.

    What belongs to no request goes with the latest request that is not answered yet: over HTTP,
    each answer is a stream of its own. If there is none, it goes by the stream that a client opens
    for that, or waits for the next request.
    """

    handler: Handler
    when_it_speaks: Callable[[], object]
    """Called before the first message of the client: nothing can reach a client earlier."""

    def __init__(self, server: LoopbackServer) -> None:
        self._server = server
        self._asking: list[ServerRequestContext[Any, Any]] = []
        self._last: ServerRequestContext[Any, Any] | None = None
        self._subscriptions = Subscriptions()
        self._streams = 0
        self._reachable_again = anyio.Event()

    def watched(self, app: ASGIApp) -> ASGIApp:
        """The application, which lets this client know when it listens to a stream of its own."""

        async def watching(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http" or scope["method"] != "GET":
                await app(scope, receive, send)
                return
            listens = 0

            async def begin(message: Any) -> None:
                nonlocal listens
                await send(message)
                if message["type"] == "http.response.start" and message["status"] == HTTPStatus.OK:
                    listens = 1
                    self._streams += 1
                    self._is_reachable()

            try:
                await app(scope, receive, begin)
            finally:
                self._streams -= listens

        return watching

    async def hear(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Let the tape answer the client; the SDK's server only transports."""
        params = dict(ctx.params or {})
        message = Message(ctx.method, without_token(params))
        if self._last is None:
            self.when_it_speaks()
        self._last = ctx
        if ctx.request_id is None:
            if ctx.method not in ("notifications/cancelled", "notifications/progress"):
                with suppress(DivergenceError):  # the cassette raises it at its end
                    await self.handler.notify(message)
            return await call_next(ctx)
        self._subscriptions.asked(ctx.request_id, message)
        self._asking.append(ctx)
        self._is_reachable()
        try:
            token = params.get("_meta", {}).get("progressToken")
            progress = None if token is None else progress_to(token, self._telling(ctx))
            answer = await answer_of(self.handler, message, progress, self._subscriptions)
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
        context = await self._reachable()
        related = ServerMessageMetadata(related_request_id=context.request_id)
        asked: Any = JSONRPCRequest(jsonrpc="2.0", id=0, **_called(message))
        try:
            answer = await context.session.send_request(
                asked,
                RootModel[dict[str, Any]],
                metadata=related if self._asking else None,
                progress_callback=progress,
            )
        except MCPError as error:
            data = [] if error.data is None else [error.data]
            refusal = RpcError(error.code, error.message, *data)
        else:
            return answer.root
        raise refusal  # here: it would be recorded that it came from another error

    async def notify(self, message: Message) -> None:
        """Tell the client something."""
        context = await self._reachable()
        params = self._subscriptions.numbered(message.params)
        number = subscription_in(params)
        context = next((each for each in self._asking if each.request_id == number), context)
        told: Any = JSONRPCNotification(jsonrpc="2.0", **_called(replace(message, params=params)))
        related = context.request_id if self._asking else None
        await context.session.send_notification(told, related)

    async def closed(self) -> None:
        """End as the recorded server did."""
        self._server.stop()

    async def _reachable(self) -> ServerRequestContext[Any, Any]:
        """What reaches the client, as soon as something does."""
        while True:
            if self._asking:
                return self._asking[-1]
            if self._last is not None and self._streams:
                return self._last
            await self._reachable_again.wait()

    def _is_reachable(self) -> None:
        self._reachable_again.set()
        self._reachable_again = anyio.Event()


def _called(message: Message) -> dict[str, Any]:
    params = {"params": message.params} if message.params else {}
    return {"method": message.method, **params}
