from typing import Protocol

from vcr_gen.boundary import outbound


class Parent[A, B = list[A]](Protocol):
    def turn(self, one: A) -> B: ...


@outbound
class Box[Z = bytes](Protocol):
    def last(self) -> Z: ...


@outbound
class Grown(Parent[str], Protocol): ...


@outbound
class Other(Parent[str, int], Protocol): ...
