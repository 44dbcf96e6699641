from typing import Protocol

from vcr_gen.boundary import inbound, outbound


@outbound
class Clock(Protocol):
    def now(self): ...


class Outer:
    @inbound
    class Handler(Protocol):
        def handle(self, text): ...


@outbound
class Told(Protocol):
    def run(self): ...
