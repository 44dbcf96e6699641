from typing import Protocol

from vcr_gen.boundary import outbound


class A(Protocol): ...


class B(A, Protocol): ...


@outbound
class Port(A, B, Protocol):
    def run(self) -> int: ...
