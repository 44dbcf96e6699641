from collections.abc import Callable
from typing import Protocol

import nowhere
from nowhere import Base

from vcr_gen.boundary import outbound


@outbound
class Port(Base, Protocol):
    def run(self) -> int: ...


@outbound
class ByModule(nowhere.inside.Base[int], Protocol):
    def run(self) -> int: ...


@outbound
class Forgotten(ABC, Protocol):
    def run(self) -> int: ...


Renamed = nowhere.Base


@outbound
class ByAlias(Renamed[int], Protocol):
    def run(self) -> int: ...


Made = type("Made", (Protocol,), {})


@outbound
class Computed(Made, Protocol):
    def run(self) -> int: ...


@outbound
class Called(type("Other", (Protocol,), {}), Protocol):
    def run(self) -> int: ...


One = Two
Two = One


@outbound
class Circular(One, Protocol):
    def run(self) -> int: ...


@outbound
class Function(Callable[[int], str], Protocol):
    def run(self) -> int: ...
