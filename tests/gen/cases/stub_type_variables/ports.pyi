from typing import Protocol, TypeAlias, TypeVar as PlainTypeVar

from typing_extensions import TypeVar, TypeVarTuple, Unpack

from vcr_gen.boundary import outbound

_Shape: TypeAlias = tuple[int, ...]
_ShapeT_co = TypeVar("_ShapeT_co", bound=_Shape, default=_Shape, covariant=True)
_RestTs = TypeVarTuple("_RestTs", default=Unpack[tuple[_Shape, ...]])
_PlainT = PlainTypeVar("_PlainT")

@outbound
class Shaped(Protocol[_ShapeT_co]):
    def shape(self) -> _ShapeT_co: ...
    def pair(self, one: _PlainT) -> tuple[_ShapeT_co, _PlainT]: ...

@outbound
class Rest(Protocol[Unpack[_RestTs]]):
    def take(self, *rest: Unpack[_RestTs]) -> None: ...
