from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Untyped(Protocol):
    count = 0

    def run(self, what, *args, how=None, **options): ...
    def half(self, what: int, how=1) -> int: ...


@outbound
class Work(Protocol):
    def __enter__(self): ...
    def __exit__(self, kind, error, traceback): ...
    def __iter__(self): ...
    def __aiter__(self): ...
    def watch(self, notify: callable) -> dict[str, any]: ...


@outbound
class Renamed(Protocol):
    """Other names for what is declared before."""

    def run(self) -> int: ...

    start = run
    begin = start


@outbound
class Odd(Protocol):
    @staticmethod
    def given(self: int, self_: int) -> int: ...
