from typing import Protocol

from vcr_gen.boundary import outbound


PREFIX = 'x'


@outbound(name=PREFIX + 'port')
class Port(Protocol):
    def run(self) -> int: ...
