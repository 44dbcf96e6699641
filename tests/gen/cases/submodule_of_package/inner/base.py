from typing import Protocol


class Item: ...


class Base(Protocol):
    def item(self) -> Item: ...
