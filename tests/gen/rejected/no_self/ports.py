from typing import ParamSpec, Protocol, TypeVar

from vcr_gen.boundary import outbound

P = ParamSpec("P")
T = TypeVar("T", contravariant=True)


@outbound
class Port(Protocol):
    def run() -> int: ...
    def add(*numbers: int) -> int: ...


@outbound
class Wrapped(Protocol[P]):
    def __call__(*args: P.args, **kwargs: P.kwargs) -> int: ...


@outbound
class Sink(Protocol[T]):
    def put(*items: "T") -> None: ...


@outbound
class Anyway(Protocol):
    def __call__(*args: object) -> int: ...
