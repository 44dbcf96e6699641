import typing as t

import vcr_gen.boundary
from vcr_gen import boundary as edge
from vcr_gen.boundary import Secret, Volatile
from vcr_gen.boundary import outbound as goes_out


@goes_out(name="clock")
class Clock(t.Protocol):
    def now(self, zone: t.Annotated[str, Volatile]) -> float: ...


@edge.inbound
class Door(t.Protocol):
    def knock(self, code: t.Annotated[str, Secret], *, loud: bool = False) -> t.NoReturn: ...


Fails: t.TypeAlias = t.Never


@vcr_gen.boundary.outbound
class Wire(t.Protocol):
    async def die(self) -> t.Never: ...
    def burn(self, after: float) -> Fails: ...
    def level(self, mode: t.Literal["a", "b"]) -> t.Literal[1, 2]: ...


on_the_bench = edge.outbound(name="bench")
in_the_yard = edge.inbound


@on_the_bench
class Bench(t.Protocol):
    def sit(self, seats: int) -> bool: ...
    @in_the_yard
    def stand(self) -> bool: ...


def close(recorded: float, actual: float) -> bool:
    return abs(recorded - actual) < 1


def packed(number: complex) -> str:
    return str(number)


@edge.outbound
class Scale(t.Protocol):
    """A wrapper says the annotations again, and makes other markers of the same functions."""

    def weigh(self, expected: t.Annotated[float, edge.Match(close)]) -> float: ...
    def phase(self) -> t.Annotated[complex, edge.Codec(packed, complex)]: ...
