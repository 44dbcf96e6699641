from __future__ import annotations

from typing import Protocol

from vcr_gen.boundary import outbound

from flattened_bases.eager import Named


class Server: ...


@outbound
class Agent(Named, Protocol):
    @property
    def own(self) -> "Server | None": ...
    def attach(self, name: str, server: "Server | None" = None) -> list["Server"]: ...
    async def detach(self, name: str) -> "Server": ...
