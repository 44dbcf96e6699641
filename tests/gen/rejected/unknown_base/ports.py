from typing import Protocol

from nowhere import Base

from vcr_gen.boundary import outbound


@outbound
class Port(Base, Protocol):
    def run(self) -> int: ...
