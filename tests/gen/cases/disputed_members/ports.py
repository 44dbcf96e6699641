import sys
from typing import Any, ClassVar, Protocol

from vcr_gen.boundary import outbound

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
    """pyright cannot tell whether the platform starts so, and expects everything."""

    @property
    def size(self) -> int: ...

    if sys.platform == "darwin" or sys.platform.startswith("freebsd"):

        @property
        def born(self) -> float: ...

        def flags(self) -> int: ...

    if sys.platform.startswith("win"):

        def name(self, short: bool) -> str: ...

    else:

        def name(self) -> str: ...
