from typing import Protocol

from vcr_gen.boundary import inbound, outbound

OPTIONS = {"name": "options"}


@outbound(nam="shell")
class Mistyped(Protocol):
    def run(self) -> int: ...


@inbound("server")
class Positional(Protocol):
    def run(self) -> int: ...


@outbound(name="")
class Empty(Protocol):
    def run(self) -> int: ...


@outbound(**OPTIONS)
class Unpacked(Protocol):
    def run(self) -> int: ...


@outbound()
class Bare(Protocol):
    def run(self) -> int: ...


@outbound
class Members(Protocol):
    @inbound(name="heard")
    def hear(self) -> int: ...

    @inbound()
    def listen(self) -> int: ...


class Bell(Protocol):
    def ring(self) -> None: ...


outbound(Bell)
MarkedBell = outbound(name="bell")(Bell)
