"""Boundaries with a place of every kind for a secret."""

from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol
from uuid import UUID

from vcr_gen.boundary import Secret, inbound, outbound


@dataclass(frozen=True)
class Login:
    """Somebody who logs in."""

    user: str
    password: str
    pin: Annotated[str, Secret] = ""


@dataclass(frozen=True)
class Ticket:
    """What was granted, with secrets that are no texts."""

    token: UUID
    pin_password: int
    secret: bytes
    password: Decimal
    valid: bool = True


class Kind(Enum):
    """How somebody proves who they are."""

    PASSPHRASE = "passphrase"
    FINGERPRINT = "fingerprint"


@dataclass(frozen=True)
class Policy:
    """What secrets must be: fields that are called like them, but say one of a few words."""

    password: Kind
    api_key: Literal["required", "optional"] | None
    secrets: list[Kind]
    client_secret: Kind | str


class DeniedError(Exception):
    """The environment says no, and why."""

    def __init__(self, message: str, request: Any = None) -> None:
        super().__init__(message)
        self.request = request


@outbound
class Api(Protocol):
    """Says things to the world, and hears from it."""

    def ask(self, value: Any) -> Any: ...

    def send(self, url: str, *, headers: Mapping[str, str], body: bytes = b"") -> bytes: ...

    def open(self, path: Path) -> Path: ...

    def log_in(self, login: Login, token: Annotated[str, Secret]) -> str: ...

    def grant(self) -> Ticket: ...

    def change(self, policy: Policy, *, password: Kind) -> dict[str, Policy]: ...

    def use(self, ticket: Ticket) -> None: ...

    def get_api_key(self) -> str: ...

    def text(self) -> Iterator[str]: ...

    def data(self) -> Iterator[bytes]: ...

    def atext(self) -> AsyncIterator[str]: ...

    def talk(self, first: str) -> Generator[str, str, str]: ...

    async def wait(self, value: Any) -> Any: ...

    def watch(self, heard: Callable[[str], str]) -> str: ...

    def call_back(
        self,
        first: Annotated[Callable[[Annotated[str, Secret]], None], Secret],
        second: Annotated[Callable[[str], None] | None, Secret] = None,
    ) -> None: ...


@inbound
class Service(Protocol):
    """Is asked by the world."""

    def answer(self, question: Any) -> Any: ...

    def tell(self, topic: str) -> Iterator[str]: ...
