from typing import Protocol

from typing_extensions import deprecated

from vcr_gen.boundary import outbound


@outbound
@deprecated("use another")
class Older(Protocol):
    def run(self) -> int: ...
