from typing import Protocol

from vcr_gen.boundary import outbound


def make() -> None:
    @outbound
    class Port(Protocol):
        def run(self) -> int: ...
