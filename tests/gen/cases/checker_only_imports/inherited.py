from typing import Protocol

from checker_only_imports.base import Shelf
from checker_only_imports.items import Item

from vcr_gen.boundary import outbound


@outbound
class Store(Shelf, Protocol):
    """Imports for real what its base imports for type checkers only."""

    def put(self, item: Item) -> None: ...
