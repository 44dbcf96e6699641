"""The classes of the standard library's kinds whose values the codec's tests store."""

from __future__ import annotations

import abc
import enum
import functools
import threading
import typing
from collections.abc import Callable
from dataclasses import KW_ONLY, InitVar, dataclass, field
from datetime import date
from typing import (
    Any,
    ClassVar,
    Final,
    Generic,
    NamedTuple,
    NotRequired,
    Protocol,
    Required,
    TypeVar,
)

import typing_extensions

if typing.TYPE_CHECKING:
    from a_package_that_is_not_there import Absent

T = TypeVar("T")
K = TypeVar("K")
N = TypeVar("N", bound=int)


class Color(enum.Enum):
    RED = 1
    BLUE = "blue"
    CRIMSON = 1  # noqa: PIE796 - an alias


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(enum.StrEnum):
    YES = "yes"
    NO = "no"


class Perm(enum.Flag):
    R = 4
    W = 2
    X = 1
    RW = 6


class Bits(enum.IntFlag, boundary=enum.KEEP):
    A = 1
    B = 2


@dataclass
class Point:
    x: int
    y: int


@dataclass
class Point3(Point):
    z: int


@dataclass(frozen=True, slots=True)
class Frozen:
    name: str
    tags: tuple[str, ...] = ()


@dataclass(kw_only=True)
class KwOnly:
    a: int
    b: str = "b"


@dataclass
class Mixed:
    a: int
    _: KW_ONLY
    b: int = 2


@dataclass
class NotInit:
    a: int
    doubled: int = field(init=False)
    unset: int = field(init=False)

    def __post_init__(self) -> None:
        self.doubled = self.a * 2


@dataclass
class WithInitVar:
    a: int
    scale: InitVar[int]
    scaled: int = 0

    def __post_init__(self, scale: int) -> None:
        self.scaled = self.a * scale


@dataclass
class Normalised:
    text: str

    def __post_init__(self) -> None:
        self.text = self.text.strip()


@dataclass
class Factory:
    items: list[int] = field(default_factory=list)
    limit: ClassVar[int] = 3
    fixed: Final[int] = 4


@dataclass
class Box(Generic[T]):
    value: T
    more: list[T] = field(default_factory=list)


@dataclass
class IntBox(Box[int]):
    label: str = ""


@dataclass
class Pair(Generic[K, T]):
    key: K
    value: Box[T]


@dataclass
class Bounded(Generic[N]):
    n: N


@dataclass
class Tree:
    value: int
    children: list[Tree] = field(default_factory=list)
    parent: Tree | None = None


@dataclass
class UsesAbsent:
    a: int
    absent: Absent
    many: list[Absent]


@dataclass
class Cached:
    a: int

    @functools.cached_property
    def double(self) -> int:
        return self.a * 2


@dataclass
class Shadow:
    date: date
    other: date | None = None


@dataclass(init=False)
class OwnInit:
    a: int

    def __init__(self, text: str) -> None:
        self.a = int(text)


class Undecorated(Point):
    """A subclass of a dataclass that adds no fields."""


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self) -> float: ...


@dataclass
class Circle(Shape):
    r: float

    def area(self) -> float:
        return self.r


@dataclass
class Square(Shape):
    side: float

    def area(self) -> float:
        return self.side


class HasArea(Protocol):
    def area(self) -> float: ...


class Opaque:
    def __init__(self, secret: int) -> None:
        self.secret = secret

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and other.secret == self.secret

    def __hash__(self) -> int:
        return hash(self.secret)


class Connection:
    """Alive: a copy of it is no use."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


class Outer:
    @dataclass
    class Inner:
        n: int


class Coordinates(NamedTuple):
    lat: float
    lon: float = 0.0


class GenericRow(NamedTuple, Generic[T]):
    id: int
    cell: T


class Movie(typing.TypedDict):
    title: str
    year: NotRequired[int]


class Partial(typing.TypedDict, total=False):
    a: Required[int]
    b: str


class Nested(Movie, total=False):
    parts: list[Partial]


class GenericDict(typing.TypedDict, Generic[T]):
    item: T


class Extended(typing_extensions.TypedDict):
    a: typing_extensions.ReadOnly[int]
    b: NotRequired[typing_extensions.ReadOnly[str]]


Keyworded = typing.TypedDict("Keyworded", {"in": int, "not-a-name": str})


class Text(str):
    """A str with behaviour."""


class Number(int):
    pass


class Items(list[int]):
    pass


class Headers(dict[str, str]):
    def __setitem__(self, key: str, value: str) -> None:
        super().__setitem__(key.lower(), value)


@dataclass
class Job:
    name: str
    error: BaseException | None = None
    run: Callable[[], Any] | None = None
