from typing import Protocol

from vcr_gen.boundary import outbound


PREFIX = 'x'


@outbound(name=PREFIX + 'port')
class Port(Protocol):
    def run(self) -> int: ...


@outbound('positional')
class Positional(Protocol):
    def run(self) -> int: ...


@outbound(nane='misspelled')
class Misspelled(Protocol):
    def run(self) -> int: ...


@outbound(**{'name': 'unpacked'})
class Unpacked(Protocol):
    def run(self) -> int: ...


@outbound(name='')
class Empty(Protocol):
    def run(self) -> int: ...
