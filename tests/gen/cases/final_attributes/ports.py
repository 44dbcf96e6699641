from typing import Final, Protocol

from vcr_gen.boundary import outbound


@outbound
class Limits(Protocol):
    lowest: Final[int]
    highest: Final = 9
