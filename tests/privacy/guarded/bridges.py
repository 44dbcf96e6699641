"""An environment that gives back what it is given, or raises it."""

from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from guarded.ports import DeniedError, Kind, Login, Policy, Ticket


class Echo:
    """Answers with the question; raises it where it is asked to."""

    def __init__(self, answer: Any = None) -> None:
        self._answer = answer
        self.pieces: list[str] = []
        """What its streams give."""

    def ask(self, value: Any) -> Any:
        if isinstance(value, dict) and "raise" in value:
            denied = DeniedError(f"no: {value['raise']}", value)
            denied.add_note(f"asked with {value['raise']}")
            raise denied from ValueError(value["raise"])
        return value if self._answer is None else self._answer

    def send(self, url: str, *, headers: Mapping[str, str], body: bytes = b"") -> bytes:
        return body

    def open(self, path: Path) -> Path:
        return path

    def log_in(self, login: Login, token: str) -> str:
        if login.password == "wrong":
            raise DeniedError(f"{login.user} cannot use {token}")
        return f"welcome {login.user}, {token}"

    def grant(self) -> Ticket:
        return Ticket(
            UUID("6ba7b810-9dad-41d1-80b4-00c04fd430c8"),
            87654321,
            b"\0key\xff",
            Decimal("98765.4321"),
        )

    def change(self, policy: Policy, *, password: Kind) -> dict[str, Policy]:
        return {"password": policy, password.name: policy}

    def use(self, ticket: Ticket) -> None:
        assert ticket == self.grant()

    def get_api_key(self) -> str:
        return str(self._answer)

    def text(self) -> Iterator[str]:
        yield from self.pieces

    def data(self) -> Iterator[bytes]:
        yield from (piece.encode() for piece in self.pieces)

    async def atext(self) -> AsyncIterator[str]:
        for piece in self.pieces:
            yield piece

    def talk(self, first: str) -> Generator[str, str, str]:
        heard = yield first
        heard = yield heard
        return heard

    async def wait(self, value: Any) -> Any:
        return self.ask(value)

    def watch(self, heard: Callable[[str], str]) -> str:
        return heard("news") + heard("more")

    def call_back(
        self, first: Callable[[str], None], second: Callable[[str], None] | None = None
    ) -> None:
        first("the password")
        if second is not None:
            second("done")
