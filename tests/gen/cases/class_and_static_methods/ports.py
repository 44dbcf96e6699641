from typing import Protocol, Self

from vcr_gen.boundary import outbound


@outbound
class Plugin(Protocol):
    @classmethod
    def create(cls, name: str) -> Self: ...
    @staticmethod
    def version(major: int = 1) -> str: ...
    @classmethod
    async def load(cls) -> int: ...
    def run(self) -> None: ...
