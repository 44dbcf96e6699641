from typing import Protocol

from flattening_makes_clashes.left import Left
from flattening_makes_clashes.right import Right

from vcr_gen.boundary import outbound


@outbound
class Both(Left, Right, Protocol):
    def items(self) -> list[int]: ...
