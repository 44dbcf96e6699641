from typing import Protocol

from vcr_gen.boundary import outbound

class Clock(Protocol):
    def now(self) -> float: ...

class Outer:
    class Handler(Protocol):
        def handle(self, text: str) -> str: ...

@outbound
class Told(Protocol):
    def run(self) -> int: ...
