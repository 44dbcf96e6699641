import typing as t
from typing import Callable, Protocol

import typing_extensions as te

from vcr_gen.boundary import outbound


@outbound
class Query(Protocol):
    def where(self, clause: str) -> te.Self: ...
    def parts(self, wanted: Callable[[str], bool]) -> list[t.Self]: ...
    async def merged(self, others: "t.Sequence[t.Self]") -> "t.Self | None": ...
