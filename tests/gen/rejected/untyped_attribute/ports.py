import math
from enum import Enum
from typing import Protocol

from vcr_gen.boundary import outbound

LIMIT = 3
NAMES = ["a"]


class Thing:
    pass


class Color(Enum):
    RED = 1


def helper(self: object) -> int:
    return LIMIT


@outbound
class Port(Protocol):
    thing = Thing()
    limit = LIMIT
    most = LIMIT | 4
    name = NAMES[0]
    pi = math.pi
    color = Color.RED
    help = helper
    first, second = 1, 2

    def size(self) -> int: ...

    size = property(size)
