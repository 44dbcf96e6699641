from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Untyped(Protocol):
    count = 0

    def run(self, what, *args, how=None, **options): ...
    def half(self, what: int, how=1) -> int: ...
