from typing import Protocol

from vcr_gen.boundary import outbound

from .circle_back import *


class Angle: ...


@outbound
class Turning(Protocol):
    """What its module imports before comes back from another that imports everything from it."""

    def turn(self, by: "Angle") -> "Turn": ...
