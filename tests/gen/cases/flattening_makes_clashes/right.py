from datetime import date
from typing import Protocol


class Token:
    pass


class Right(Protocol):
    def right(self, token: Token) -> date: ...
    def list(self) -> str: ...
    def dict(self) -> str: ...
