"""What a client asks of its server, and the server of its client."""

from collections.abc import Iterator
from typing import Any, Protocol

from vcr_gen.boundary import inbound, outbound


class Progress(Protocol):
    async def __call__(self, done: int) -> None: ...


@outbound(name="server")
class Server(Protocol):
    async def request(
        self, method: str, params: dict[str, Any], progress: Progress | None
    ) -> Any: ...
    async def notify(self, method: str, params: dict[str, Any]) -> None: ...


@inbound(name="client")
class Client(Protocol):
    async def request(self, method: str, params: dict[str, Any]) -> Any: ...
    async def notify(self, method: str, params: dict[str, Any]) -> None: ...


@outbound(name="line")
class Line(Protocol):
    """The same without a loop."""

    def say(self, text: str) -> str: ...


@inbound(name="desk")
class Desk(Protocol):
    def ask(self, text: str) -> str: ...


@outbound(name="feed")
class Feed(Protocol):
    def items(self, count: int) -> Iterator[int]: ...
