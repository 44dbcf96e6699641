from os import PathLike
from typing import TYPE_CHECKING, Protocol, TypeVar

from vcr_gen.boundary import outbound

PortT = TypeVar("PortT", bound="Port")

if TYPE_CHECKING:

    @outbound
    class Port(Protocol):
        """Exists for checkers only, and returns what it is called on."""

        def joined(self: PortT, other: PortT) -> PortT: ...

    @outbound
    class Folder(PathLike[str], Protocol):
        """Inherits what is a Protocol for checkers only, with a type variable of another stub."""
