from .circle import *


class Turn: ...
