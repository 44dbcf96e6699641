from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from checker_only_imports.items import Item


class Shelf(Protocol):
    def first(self, like: Item) -> list[Item]: ...
