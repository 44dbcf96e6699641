"""A small shop: every kind of boundary that a failure can be about."""

from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Protocol

from vcr_gen.boundary import Secret, inbound, outbound, unrecorded


@dataclass(frozen=True)
class Address:
    street: str
    city: str


@dataclass(frozen=True)
class Order:
    number: int
    items: tuple[str, ...]
    address: Address


@outbound
class Bank(Protocol):
    """Single calls."""

    def login(self, user: str, password: Annotated[str, Secret]) -> None: ...
    def balance(self, account: str) -> int: ...
    def pay(self, account: str, amount: int) -> str: ...
    async def rate(self, currency: str) -> float: ...
    @unrecorded
    def disconnect(self) -> None: ...


class Shelf(Protocol):
    """An object of the environment that nobody marked."""

    def put(self, item: str) -> None: ...


class Colour(Enum):
    RED = 1
    BLUE = 2


@outbound
class Warehouse(Protocol):
    """Values of every size."""

    def paint(self, colour: Colour, sample: bytes, due: datetime) -> None: ...
    def send(self, order: Order) -> bool: ...
    def note(self, text: str) -> None: ...
    def tag(self, details: Any) -> None: ...
    def label(self, file: Path) -> str: ...
    def rent(self) -> Shelf: ...


@outbound
class Feed(Protocol):
    """Streams."""

    def prices(self, item: str) -> Iterator[int]: ...
    def bargain(self, item: str) -> Generator[int, str, None]: ...
    def ticks(self, item: str) -> AsyncIterator[int]: ...


@outbound
class Connection(Protocol):
    """A handle."""

    def query(self, text: str) -> list[str]: ...


@outbound
class Database(Protocol):
    """Hands out handles, and context managers."""

    def connect(self, name: str) -> Connection: ...
    def transaction(self, name: str) -> AbstractContextManager[int]: ...


@outbound
class Door(Protocol):
    """Properties, and callbacks."""

    @property
    def colour(self) -> str: ...
    @colour.setter
    def colour(self, colour: str) -> None: ...
    def watch(self, seen: Callable[[str], str]) -> int: ...


@inbound(name="till")
class Till(Protocol):
    """What customers call."""

    def buy(self, item: str) -> str: ...
    async def order(self, item: str) -> str: ...
    def receipt(self, lines: int) -> Iterator[str]: ...


@outbound(name="Mailer")
class MailerBefore(Protocol):
    def post(self, to: str, text: str) -> bool: ...
    def ping(self) -> bool: ...


@outbound(name="Mailer")
class MailerWithMore(Protocol):
    def post(self, to: str, text: str, priority: int = 1) -> bool: ...
    def ping(self) -> bool: ...


@outbound(name="Mailer")
class MailerWithLess(Protocol):
    def post(self, to: str) -> bool: ...
    def ping(self) -> bool: ...


@outbound(name="Mailer")
class MailerRenamed(Protocol):
    def post(self, to: str, body: str) -> bool: ...
    def ping(self) -> bool: ...


@outbound(name="Mailer")
class MailerRetyped(Protocol):
    def post(self, to: list[str], text: str) -> bool: ...
    def ping(self) -> bool: ...


@outbound(name="Mailer")
class MailerWithoutPost(Protocol):
    def send(self, to: str, text: str) -> bool: ...
    def ping(self) -> bool: ...


@inbound(name="desk")
class DeskBefore(Protocol):
    def ask(self, question: str) -> str: ...


@inbound(name="desk")
class DeskWithMore(Protocol):
    def ask(self, question: str, language: str) -> str: ...
