from collections.abc import Callable
from typing import *

from vcr_gen.boundary import outbound

from .exports import Size
from .shapes import *


@outbound
class Later(Protocol):
    def hand_over(self, call: Callable[[int], Size]) -> Canvas: ...
