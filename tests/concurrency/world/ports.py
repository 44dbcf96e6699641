"""A boundary with every way of taking time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol

from vcr_gen.boundary import inbound, outbound


class WorldError(Exception):
    """The world refuses."""


@outbound
class World(Protocol):
    async def fetch(self, key: str) -> str: ...
    async def refuse(self, key: str) -> str: ...
    def watch(self, key: str, count: int) -> AsyncIterator[str]: ...
    def peek(self, key: str) -> str: ...
    async def follow(self, key: str, listener: Callable[[str], Awaitable[None]]) -> None: ...
    async def subscribe(self, key: str, listener: Callable[[str], None]) -> None: ...


@inbound
class Service(Protocol):
    async def handle(self, request: str) -> str: ...
