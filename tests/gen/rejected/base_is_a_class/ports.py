from collections.abc import Mapping
from typing import Protocol

from vcr_gen.boundary import outbound


class Base:
    pass


@outbound
class Port(Base, Protocol):
    def run(self) -> int: ...


@outbound
class Table(Mapping[str, int], Protocol):
    def run(self) -> int: ...
