"""The same as in `link`, with the directions exchanged."""

from collections.abc import Iterator
from typing import Any, Protocol

from vcr_gen.boundary import inbound, outbound


class Progress(Protocol):
    async def __call__(self, done: int) -> None: ...


@inbound(name="server")
class Server(Protocol):
    async def request(
        self, method: str, params: dict[str, Any], progress: Progress | None
    ) -> Any: ...
    async def notify(self, method: str, params: dict[str, Any]) -> None: ...


@outbound(name="client")
class Client(Protocol):
    async def request(self, method: str, params: dict[str, Any]) -> Any: ...
    async def notify(self, method: str, params: dict[str, Any]) -> None: ...


@inbound(name="feed")
class Feed(Protocol):
    def items(self, count: int) -> Iterator[int]: ...
