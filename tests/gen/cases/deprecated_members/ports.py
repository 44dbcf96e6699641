from typing import Protocol

from typing_extensions import deprecated, override

from vcr_gen.boundary import outbound


class Base(Protocol):
    def run(self) -> int: ...


@outbound
class Old(Base, Protocol):
    @deprecated("use run")
    def start(self, x: int) -> int:
        """Start it."""
        ...

    @override
    def run(self) -> int: ...
