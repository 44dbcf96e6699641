from typing import Protocol

from vcr_gen.boundary import outbound


class Thing:
    pass


@outbound
class One(Protocol):
    thing = Thing()
    def run() -> int: ...


@outbound
class Two(Thing, Protocol): ...
