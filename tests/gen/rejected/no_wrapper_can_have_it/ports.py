from collections.abc import Callable
from typing import (
    TYPE_CHECKING,
    AnyStr,
    Concatenate,
    Generic,
    Literal,
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


R = TypeVar("R", bound=Record)


@outbound
class Loader(Protocol):
    @classmethod
    def load(cls: type[R], text: str) -> R: ...
    def store(self: Record, text: str) -> None: ...
    def own(self: "Loader") -> None: ...


@outbound
class Reader(Protocol):
    def read(self) -> AnyStr: ...
    def read_all(self) -> "list[AnyStr | None]": ...
    def read_like(self, sample: AnyStr) -> AnyStr: ...
    def reader(self) -> Callable[[AnyStr], AnyStr]: ...


@outbound
class Lines(Protocol[AnyStr]):
    def read(self) -> AnyStr: ...


T = TypeVar("T")
U = TypeVar("U")


class Store(Protocol[T]):
    def map(self, kind: type[U], item: T) -> tuple[U, T]: ...


@outbound
class Users(Store[U], Protocol[U]): ...


class Newer[A](Protocol):
    def map[C](self, item: A, other: C) -> tuple[A, C]: ...


@outbound
class Captured[C](Newer[C], Protocol): ...


@outbound
class Free[B](Newer[B], Protocol): ...


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


@outbound
class Both(Protocol):
    name: str
    title: str

    def show(self: Titled) -> str: ...


class Pair(Protocol[T, U]):
    def swap(self, first: T, second: U) -> tuple[U, T]: ...
    def total(self: "Pair[int, U]") -> int: ...


@outbound
class Words(Pair[str, bytes], Protocol): ...


@outbound
class Flags(Pair[bool, bytes], Protocol): ...


P = ParamSpec("P")
Q = ParamSpec("Q")


class Runner(Protocol[P]):
    def run(self, times: int, /, *args: P.args, **kwargs: P.kwargs) -> int: ...


@outbound
class Repeated(Runner[Concatenate[int, Q]], Protocol[Q]): ...


class Kinds(Protocol[T]):
    def kind(self, of: type[T]) -> T: ...


@outbound
class Modes(Kinds[Literal["r", "w"]], Protocol): ...


class Table[K, *Ts = *tuple[int, ...]](Protocol):
    def row(self, key: K) -> tuple[*Ts]: ...


@outbound
class Plain(Table[str], Protocol): ...


@outbound
class Given(Table[str, int, str], Protocol): ...


Answer = TypeVar("Answer", Record, None)
Handle = Callable[[Record], Answer]


@outbound
class Middleware(Protocol):
    """The alias has no brackets, and so says nothing of the variable."""

    async def handle(self, record: Record, handle: Handle) -> Answer: ...
    def handles(self) -> list[Handle[Answer]]: ...
    def answer(self, like: Answer) -> Answer: ...


@outbound
class Naming(Protocol):
    def wait(self, seconds: int = (limit := 5), *, also: object = lambda: (own := 1)) -> None: ...


@outbound
class Box(Protocol[T]):
    @overload
    def __init__(self: "Box[int]", item: int) -> None: ...
    @overload
    def __init__(self: "Box[list[U]]", item: U) -> None: ...
    def put(self: "Box[T]", item: T) -> T: ...
    def first(self: "Box[int]") -> int: ...
    def flat(self: "Box[list[U]]") -> "Box[U]": ...


@outbound
class Told(Protocol):
    if TYPE_CHECKING:

        def run(self, x: int, *, y: str = "a") -> list[int]: ...

    else:

        def run(self, x, *, y="a"): ...


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
