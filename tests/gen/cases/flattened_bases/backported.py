import typing_extensions
from typing_extensions import Buffer, Protocol, Sized

from vcr_gen.boundary import outbound


@outbound
class Block(Buffer, Sized, Protocol):
    """Bases of which the file of `typing_extensions` tells less than typeshed."""

    def checksum(self) -> int: ...


@outbound
class Key(typing_extensions.Hashable, Protocol):
    def text(self) -> str: ...
