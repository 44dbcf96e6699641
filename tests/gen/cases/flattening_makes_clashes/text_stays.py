from datetime import datetime
from typing import Protocol

from flattening_makes_clashes.lazy_base import Timed

from vcr_gen.boundary import outbound


class Token: ...


@outbound
class Alarm(Timed, Protocol):
    """Says what its base says as text; what is evaluated here can be called something else."""

    def ring(self, at: datetime, token: Token) -> None: ...
