from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Port(Protocol):
    def run(self, what: Nowhere) -> 'Nobody': ...
