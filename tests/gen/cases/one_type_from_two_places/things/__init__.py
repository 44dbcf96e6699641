from .inside import Shelf as Shelf
from .inside import Thing as Thing
