from __future__ import annotations

from typing import *

from vcr_gen.boundary import outbound

from . import shapes
from .exports import *
from .exports import Brush as Pen
from .exports import Renamed as Other


@outbound
class Drawer(Protocol):
    def draw(self, shape: shapes.Shape, size: Size, other: Other, pen: Pen) -> Optional[Canvas]: ...
