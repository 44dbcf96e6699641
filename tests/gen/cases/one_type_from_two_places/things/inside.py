from __future__ import annotations

from typing import Protocol


class Thing: ...


class Shelf(Protocol):
    def first(self, like: Thing) -> list[Thing]: ...
