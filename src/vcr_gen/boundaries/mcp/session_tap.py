"""Records what passes between a client and its server, whatever carries it."""

import asyncio
from typing import final

from anyio.abc import TaskGroup

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp.client_seat import ClientSeat
from vcr_gen.boundaries.mcp.frames import Frame, Number, number_in
from vcr_gen.boundaries.mcp.rpc_endpoint import Endpoint


@final
class SessionTap:
    """Tells the wrappers what passes between a client and its server, in the order of the wire."""

    def __init__(self, cassette: Cassette, tasks: TaskGroup) -> None:
        self._number: Number = 0
        self._begun = asyncio.Event()
        self._client = Endpoint(tasks, _NoWire(), is_recorded=True, numbers=self._number_on_wire)
        self._server = Endpoint(tasks, _NoWire(), is_recorded=True, numbers=self._number_on_wire)
        self._seat = ClientSeat(cassette, self._client, self._server)
        self._client_has_left = False
        self._tokens: dict[tuple[bool, object], Number] = {}
        """The requests of each side by their progress tokens, where these are not their numbers."""

    async def passed(self, frame: Frame, *, by_client: bool) -> None:
        """Handle a message until all that it causes is recorded."""
        end, other = self._client, self._server
        if not by_client:
            end, other = other, end
        if "method" not in frame:
            await end.receive(frame)
            await other.served(frame.get("id", ""))
        elif "id" not in frame:
            await end.receive(self._numbered(frame, by_client=by_client))
        else:
            self._number = frame["id"]
            self._remember_token(frame, by_client=by_client)
            self._begun.clear()
            await end.receive(frame)
            await self._begun.wait()

    async def client_has_left(self) -> None:
        """Record that the client will say no more."""
        self._client_has_left = True
        await self._client.left()

    async def server_has_left(self) -> None:
        """Record that the server will say no more; by itself, unless the client has left."""
        if not self._client_has_left:
            await self._seat.server_has_ended()

    def _number_on_wire(self) -> Number:
        self._begun.set()
        return self._number

    def _remember_token(self, request: Frame, *, by_client: bool) -> None:
        token = number_in(request.get("params", {}).get("_meta", {}), "progressToken")
        if token is not None and token != request["id"]:
            self._tokens[by_client, token] = request["id"]

    def _numbered(self, notification: Frame, *, by_client: bool) -> Frame:
        """Progress as our endpoints report it: its token is the number of its request."""
        if notification["method"] != "notifications/progress":
            return notification
        params = notification.get("params", {})
        number = self._tokens.get((not by_client, number_in(params, "progressToken")))
        if number is None:
            return notification
        return {**notification, "params": {**params, "progressToken": number}}


@final
class _NoWire:
    """Sends nothing: the bytes have been forwarded as they were."""

    async def send(self, frame: Frame, metadata: object = None) -> None:
        del frame, metadata

    async def close(self) -> None:
        """The end of its input informs that side."""
