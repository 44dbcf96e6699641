from typing import (
    Generic,
    NewType,
    ParamSpec,
    Protocol,
    Self,
    TypeAlias,
    TypeVar,
    overload,
)

from vcr_gen.boundary import outbound


class Record:
    pass


@outbound
class Loader(Protocol):
    def store(self: Record, text: str) -> None: ...
    def own(self: "Loader") -> None: ...


@outbound
class Aliased(Protocol):
    type Rows = list[int]

    def read(self) -> Rows: ...


class Named(Protocol):
    name: str


class Titled(Named, Protocol):
    title: str


@outbound
class Shouting(Protocol):
    title: str

    def shout(self: Titled) -> str: ...
    @overload
    def loud(self: Record, text: str) -> str: ...
    @overload
    def loud(self, text: int) -> str: ...


P = ParamSpec("P")


class Runner(Protocol[P]):
    def run(self, times: int, /, *args: P.args, **kwargs: P.kwargs) -> int: ...


@outbound
class Repeated(Runner[[int]], Protocol): ...


class Table[K, *Ts = *tuple[int, ...]](Protocol):
    def row(self, key: K) -> tuple[*Ts]: ...


@outbound
class Plain(Table[str], Protocol): ...


AnyColumn = TypeVar("AnyColumn", bound="Column")


class Namespace(Generic[AnyColumn]):
    """Only a column can be its argument."""


@outbound
class Column(Protocol):
    def namespace(self) -> Namespace[Self]: ...
    def moved(self, to: "Namespace[Self] | None", *, like: list[Self]) -> None: ...


@outbound
class Player(Protocol):
    class Mode: ...

    class Sink(Protocol):
        def play(self, sound: bytes) -> None: ...

    Sinks: TypeAlias = list[Sink]
    Number = NewType("Number", int)

    def start(self, sink: Sink, mode: "Mode") -> Number: ...


@outbound
class Vault(Protocol):
    __level: int

    def __turn(self, times: int = 1) -> str: ...
