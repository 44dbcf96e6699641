from typing import Final, Literal, Protocol

from vcr_gen.boundary import inbound, outbound


@outbound
class Limits(Protocol):
    lowest: Final[int]
    highest: Final = 9
    step: Final[Literal[1, 3]] = 1
    labels: "Final[list[str]]"


@inbound
class Gauge(Protocol):
    unit: Final[str] = "m"
    limits: Final[tuple[int, ...]]
