import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, no_type_check, overload

from vcr_gen.boundary import outbound, unrecorded

MYPY = False

if MYPY:

    class Described(Protocol):
        """mypy takes this one."""

        __fields__: ClassVar[Any]
        title: str

        def describe(self, width: int) -> str: ...

else:

    class Described(Protocol):
        """pyright and Python take that one."""


@outbound
class Record(Described, Protocol):
    def key(self) -> str: ...


@outbound
class Status(Protocol):
    """pyright cannot tell whether the platform starts so, nor mypy which 3.99 it is."""

    @property
    def size(self) -> int: ...

    if sys.platform == "darwin" or sys.platform.startswith("freebsd"):

        @property
        def born(self) -> float: ...

        def flags(self) -> int: ...

    if sys.version_info >= (3, 99, 1):
        attributes: set[str]

    if sys.platform.startswith("win"):

        def name(self, short: bool) -> str: ...

    else:

        def name(self) -> str: ...


@outbound
class Running(Protocol):
    """Type checkers do not know what is there at run time alone."""

    def run(self) -> int: ...

    if not TYPE_CHECKING:
        title: str

        def extra(self, x: int) -> int: ...

        @unrecorded
        def unheard(self, cast: int) -> int: ...

        @property
        def width(self) -> int: ...


@outbound
class Unchecked(Protocol):
    """Type checkers do not look at the types of these."""

    @no_type_check
    def run(self, x: int, *rest: int, y: "str" = "a") -> int: ...
    @no_type_check
    async def stop(self) -> None: ...
    @no_type_check
    def items(self, x: int) -> Iterator[int]: ...
    @property
    @no_type_check
    def size(self) -> int: ...
