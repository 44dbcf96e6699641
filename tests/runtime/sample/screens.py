"""A module that cannot be imported here, though type checkers and vcr-gen read it well."""

from typing import Protocol

from vcr_gen.boundary import outbound

raise RuntimeError("there is no screen")


@outbound
class Screen(Protocol):
    def width(self) -> int: ...
