from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Port(Protocol):
    def __getattribute__(self, name: str) -> object: ...
    @property
    def __qualname__(self) -> str: ...
