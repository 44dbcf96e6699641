from __future__ import annotations

from typing import Protocol, TypeVar

from vcr_gen.boundary import outbound

from mixed_type_parameters.base import Pairs

T = TypeVar("T")


@outbound
class Old(Pairs[T, list[T]], Protocol[T]):
    """Has a type variable; it is called what the other has in its brackets."""

    def own(self, item: T) -> T: ...


@outbound
class New[T](Pairs[T, list[T]], Protocol):
    def own(self, item: T) -> T: ...
