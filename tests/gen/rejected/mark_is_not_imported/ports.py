from typing import Protocol

import vcrgen

from vcr_gen.boundaries import outbound as wrong
from vcr_gen.boundary import inbound


def register(target):
    return target


@outbound
class Forgotten(Protocol):
    def run(self) -> int: ...


@inbond(name="server")
class Mistyped(Protocol):
    def run(self) -> int: ...


@inbound
class Marked(Protocol):
    def run(self) -> int: ...


@register
class NoBoundary(Protocol):
    def run(self) -> int: ...


@somewhere_else
class NotOurs(Protocol):
    def run(self) -> int: ...


@wrong
class FromElsewhere(Protocol):
    def run(self) -> int: ...


@vcrgen.outbound(name="server")
class OfAMistypedPackage(Protocol):
    def run(self) -> int: ...
