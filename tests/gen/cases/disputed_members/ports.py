from typing import TYPE_CHECKING, Protocol

from vcr_gen.boundary import outbound, unrecorded


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
