from .shapes import Canvas, Size
from .shapes import Shape as Renamed

__all__ = ["Brush", "Canvas", "Renamed", "Size"]


class Brush: ...
