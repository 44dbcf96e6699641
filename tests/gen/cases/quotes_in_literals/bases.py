from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol


class Separated(Protocol):
    def quote(self, mark: Literal['"', "'", "\\", b'"', "'\""]) -> Literal['5"', "5'"]: ...
    def marks(self) -> Mapping[Literal['"'], int]: ...
