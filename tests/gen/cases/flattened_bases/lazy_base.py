from __future__ import annotations

from typing import Protocol, TypeVar

T = TypeVar("T")


class Finder(Protocol[T]):
    def find(self, one: T) -> "list[T]": ...
    def plain(self, several: list[T]) -> T: ...
