from typing import Protocol

from vcr_gen.boundary import outbound


class _Secret:
    pass


@outbound
class Vault(Protocol):
    _state: int

    def _peek(self, _depth: int) -> str: ...
    def open(self, __key: str, __name: str = "") -> _Secret: ...
    def named(self, *, __name__: str) -> None: ...


@outbound
class __Hidden(Protocol):
    """Python would take the name for a member's in the body of a class."""

    def find(self, key: int) -> str: ...
