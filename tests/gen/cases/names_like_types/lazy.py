from __future__ import annotations

from datetime import date
from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Spiders(Protocol):
    def first(self, of: list[int]) -> list[str]: ...
    def list(self) -> __builtins__.list[str]: ...
    def find(self, names: __builtins__.list[str]) -> None: ...


@outbound
class Shelf(Protocol):
    """A method hides a type from what comes after it, and from nothing else."""

    def get(self, of: list[date]) -> dict[str, list[int]]: ...
    def list(self, since: list[int]) -> list[date]: ...
    @property
    def date(self) -> date: ...
