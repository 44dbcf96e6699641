from __future__ import annotations

from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Spiders(Protocol):
    def list(self) -> __builtins__.list[str]: ...
    def find(self, names: __builtins__.list[str]) -> None: ...
