from collections.abc import Collection, Container, Hashable, Iterable, Sized
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


@outbound
class Names(Container[str], Protocol):
    """What may be asked for differs between the stubs of mypy and of pyright."""


@outbound
class Numbers(Collection[int], Protocol): ...
