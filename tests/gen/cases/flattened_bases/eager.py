from typing import Protocol


class Named(Protocol):
    def rename(self, name: str) -> None: ...
