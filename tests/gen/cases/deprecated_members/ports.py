from typing import Protocol

from typing_extensions import deprecated, override

from vcr_gen.boundary import outbound, unrecorded


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

    @property
    @deprecated("use run")
    def started(self) -> bool: ...

    @property
    def speed(self) -> int: ...
    @speed.setter
    @deprecated("not any more")
    def speed(self, value: int) -> None: ...
    @speed.deleter
    @deprecated("nor that")
    def speed(self) -> None: ...

    @unrecorded
    @deprecated("use run")
    def stop(self, now: bool) -> int: ...

    @property
    @unrecorded
    @deprecated("use run")
    def stopped(self) -> bool: ...
    @stopped.setter
    @deprecated("not any more")
    def stopped(self, value: bool) -> None: ...
