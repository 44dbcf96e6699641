from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from vcr_gen.boundary import outbound

Handler = Callable[[str], Awaitable[None]]


@outbound
class Bus(Protocol):
    def subscribe(self, topic: str, handler: Handler) -> Callable[[], None]: ...
    def on_any(self, handler: Callable[..., Any] | None = None) -> None: ...
