import sys
from typing import TYPE_CHECKING, Protocol

from vcr_gen.boundary import outbound

if sys.version_info >= (3, 11):
    from typing import Self
else:
    from typing_extensions import Self

try:
    from json import JSONDecodeError as Trouble
except ImportError:
    Trouble = ValueError  # type: ignore[misc, assignment]


class Outer:
    class Settings:
        pass

    @outbound
    class Port(Protocol):
        def configure(self, settings: "Outer.Settings") -> Self: ...
        def failed(self, trouble: Trouble) -> None: ...


if TYPE_CHECKING:

    @outbound
    class Ghost(Protocol):
        def haunt(self, times: int = 2) -> str: ...

    class Sheet: ...


if sys.platform == "win32":

    @outbound
    class Windows(Protocol):
        def spawn(self) -> int: ...

else:

    @outbound
    class Posix(Protocol):
        def fork(self) -> int: ...


match sys.byteorder:
    case "little":
        Width = int

        @outbound
        class Ordered(Protocol):
            def order(self, width: Width) -> Width: ...

    case _:
        pass
