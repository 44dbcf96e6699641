from collections.abc import Hashable, Iterable, Sized
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from flattened_bases.base import Closable, Reader

from vcr_gen.boundary import outbound

T_co = TypeVar("T_co", covariant=True)


@outbound
class File(Reader[bytes], Closable, Sized, Protocol):
    def seek(self, to: int) -> None: ...


@outbound
class Rows(Iterable[T_co], Hashable, Protocol[T_co]):
    def first(self) -> T_co: ...


@outbound
class Lock(AbstractContextManager[int], Protocol):
    def locked(self) -> bool: ...
