from __future__ import annotations

import datetime
from typing import Protocol, overload


class Token: ...


class Timed(Protocol):
    def since(self, start: datetime.datetime, token: Token) -> datetime.date: ...


class Listed(Protocol):
    @overload
    def found(self, key: list[int]) -> list[str]: ...
    @overload
    def found(self, key: str, rest: list[int]) -> str: ...

    @property
    def all(self) -> list[str]: ...
    @all.setter
    def all(self, value: list[str]) -> None: ...
