from __future__ import annotations

from datetime import date
from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Shelf(Protocol):
    """A method hides a type from what comes after it, and from nothing else."""

    def get(self, of: list[date]) -> dict[str, list[int]]: ...
    def list(self, since: list[int]) -> list[date]: ...
    @property
    def date(self) -> date: ...
