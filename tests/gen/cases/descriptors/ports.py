from types import FunctionType
from typing import Any, ClassVar, Generic, Optional, Protocol, TypeVar, overload

from vcr_gen.boundary import outbound, unrecorded

T = TypeVar("T")


class Column(Generic[T]):
    def __init__(self, value: T) -> None:
        self.value = value

    def __get__(self, instance: object, owner: Any = None) -> T:
        return self.value

    def __set__(self, instance: object, value: T) -> None:
        self.value = value


class Reader:
    def __get__(self, instance: object, owner: Any = None) -> str:
        return "read"


class Heir(Reader): ...


@outbound
class Table(Protocol):
    size: Column[int]
    reader: Reader
    maybe: Reader | None
    hook: FunctionType
    kind: ClassVar[Reader]

    @property
    def current(self) -> Reader: ...
    @current.setter
    def current(self, cast: Reader) -> None: ...
    @property
    @unrecorded
    def raw(self) -> Reader: ...
    def use(self, reader: Reader, column: Column[int]) -> Reader: ...
    def several(
        self, one: Optional[Reader], *more: Reader, named: "Heir", **others: Reader
    ) -> Reader | None: ...
    async def later(self, hook: FunctionType, reader: Reader = ...) -> Heir: ...
    @overload
    def either(self, one: Reader) -> int: ...
    @overload
    def either(self, one: int) -> Reader: ...
