from typing import Protocol, overload

from vcr_gen.boundary import inbound, outbound


@outbound
@inbound
class Both(Protocol):
    def run(self) -> int: ...


@outbound(name="one")
@outbound(name="other")
class TwoNames(Protocol):
    def run(self) -> int: ...


@outbound
class Members(Protocol):
    @inbound
    @outbound
    def run(self) -> int: ...

    @property
    @outbound
    @inbound
    def size(self) -> int: ...

    @overload
    @inbound
    def read(self, key: str) -> str: ...
    @overload
    @outbound
    def read(self, key: int) -> int: ...


@outbound
class Again(Protocol):
    def first(self) -> int: ...


@outbound
class Again(Protocol):
    def second(self) -> int: ...
