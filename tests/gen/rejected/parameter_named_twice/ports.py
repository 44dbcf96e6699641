from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Port(Protocol):
    def run(self, x: int, *, y: int, x: str) -> int: ...
    async def stop(self, *args: int, **args: int) -> None: ...
    @property
    def size(self, self) -> int: ...
