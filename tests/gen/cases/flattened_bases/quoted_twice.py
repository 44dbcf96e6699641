from __future__ import annotations

from typing import Protocol

from vcr_gen.boundary import outbound

from flattened_bases.eager import Named


class Server: ...


@outbound
class Agent(Named, Protocol):
    @property
    def own(self) -> "Server | None": ...
    @property
    def other(self) -> "Server | None": ...
    @other.setter
    def other(self, server: "Server | None") -> None: ...
    def attach(self, name: str, server: "Server | None" = None) -> list["Server"]: ...
    async def detach(self, name: str) -> "Server": ...
