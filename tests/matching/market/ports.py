"""Boundaries of a market: orders go out, questions come in."""

from collections.abc import AsyncIterator, Generator, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Protocol

from vcr_gen.boundary import Match, Secret, Volatile, inbound, outbound


def about(recorded: datetime, actual: datetime) -> bool:
    """Whether two moments are less than a minute apart."""
    return abs((recorded - actual).total_seconds()) < 60


def lasting(labels: dict[str, str]) -> dict[str, str]:
    """The labels that count: those of today do not."""
    return {name: text for name, text in labels.items() if not name.startswith("today")}


def whole(prices: list[str]) -> dict[str, str]:
    """A list of prices, however it was cut."""
    return {"prices": "".join(prices)}


@dataclass(frozen=True)
class Line:
    name: str
    count: int
    stamp: Annotated[float, Volatile] = 0.0
    parts: "tuple[Line, ...]" = ()


@dataclass(frozen=True)
class Order:
    lines: list[Line]
    placed: datetime
    sent: Annotated[datetime, Match(about)]
    notes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    text: str
    took: Annotated[float, Volatile]


class RefusedError(Exception):
    request: Annotated[str, Volatile]
    reason: str

    def __init__(self, request: str, reason: str) -> None:
        super().__init__("refused")
        self.request = request
        self.reason = reason


@outbound
class Stall(Protocol):
    """A live object that comes inside of a record."""

    def sell(self, what: str) -> int: ...


@dataclass(frozen=True)
class Rented:
    stall: Stall
    where: str
    since: Annotated[float, Volatile]


@outbound
class Market(Protocol):
    """The application calls it."""

    def rent(self) -> Rented: ...

    def place(self, order: Order, *, trace: Annotated[str, Volatile] = "") -> int: ...
    def post(self, url: str, body: bytes, headers: list[tuple[str, str]]) -> str: ...
    def login(self, user: str, *, token: Annotated[str, Secret]) -> bool: ...
    def haggle(self) -> Generator[int, Line, str]: ...
    def fetch(self, key: str, options: dict[str, int] = ...) -> str: ...
    async def afetch(self, key: str) -> str: ...
    def label(self, labels: Annotated[dict[str, str], Match(key=lasting)]) -> str: ...
    def prices(self, day: str) -> Iterator[Annotated[str, Match(joined=whole)]]: ...
    def aprices(self, day: str) -> AsyncIterator[Annotated[str, Match(joined=whole)]]: ...


@inbound
class Desk(Protocol):
    """The application answers."""

    def ask(self, question: str) -> Answer: ...
    def list(self, question: str) -> Iterator[Answer]: ...
    def fail(self, question: str) -> None: ...
