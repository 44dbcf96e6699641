"""MCP as two boundaries: what a client asks of its server, and a server of its client."""

from typing import Protocol

from vcr_gen.boundaries.mcp.rpc_messages import Result, ShownMessage
from vcr_gen.boundary import inbound, outbound


class Progress(Protocol):
    """Hears how far a request has come."""

    async def __call__(
        self, progress: int | float, total: int | float | None, message: str | None
    ) -> None:
        """`total` is what `progress` will be at the end, if that is known."""
        ...


@outbound(name="server")
class McpServer(Protocol):
    """The server, as its client sees it."""

    async def request(self, message: ShownMessage, progress: Progress | None) -> Result:
        """Ask the server; `progress` hears how far it has come, if the client wants to know."""
        ...

    async def notify(self, message: ShownMessage) -> None:
        """Tell the server something that it does not answer."""
        ...


@inbound(name="client")
class McpClient(Protocol):
    """The client, as its server sees it."""

    async def request(self, message: ShownMessage, progress: Progress | None) -> Result:
        """Ask the client: for a sample of its model, for a choice of its user, for its roots."""
        ...

    async def notify(self, message: ShownMessage) -> None:
        """Tell the client something that it does not answer."""
        ...

    async def closed(self) -> None:
        """The server has ended by itself."""
        ...


@inbound(name="server")
class DrivenServer(Protocol):
    """The server from its other side: the recorded client asks it."""

    async def request(self, message: ShownMessage, progress: Progress | None) -> Result:
        """Ask the server what the recorded client asked."""
        ...

    async def notify(self, message: ShownMessage) -> None:
        """Send the server a notification of the recorded client."""
        ...


@outbound(name="client")
class RecordedClient(Protocol):
    """The client from its other side: the server asks it, and the tape answers."""

    async def request(self, message: ShownMessage, progress: Progress | None) -> Result:
        """Ask the recorded client."""
        ...

    async def notify(self, message: ShownMessage) -> None:
        """Tell the recorded client something."""
        ...

    async def closed(self) -> None:
        """The server has ended by itself."""
        ...
