from functools import lru_cache
from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Port(Protocol):
    @lru_cache
    def run(self) -> int: ...
