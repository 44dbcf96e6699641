from typing import Protocol

from vcr_gen.boundary import outbound


class Thing:
    pass


@outbound
class Port(Protocol):
    thing = Thing()
