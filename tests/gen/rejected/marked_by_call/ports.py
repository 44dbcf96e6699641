from typing import Protocol

from vcr_gen import boundary
from vcr_gen.boundary import inbound, outbound


class Port(Protocol):
    def run(self) -> int: ...


class Outer:
    class Inner(Protocol):
        def run(self) -> int: ...

    boundary.inbound(Inner)


Marked = outbound(Port)
Named: type[Port] = outbound(name="named")(Port)
if Port:
    inbound(Port)
goes_out = outbound(name="out")


@goes_out
class Fine(Protocol):
    def run(self) -> int: ...
