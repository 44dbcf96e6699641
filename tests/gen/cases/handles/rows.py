from collections.abc import Iterator
from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Row(Protocol):
    def value(self, column: str) -> object: ...


RowStream = Iterator[Row]
