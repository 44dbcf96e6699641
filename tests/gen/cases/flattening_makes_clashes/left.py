from typing import Protocol


class Token:
    pass


class Left(Protocol):
    def left(self, token: Token) -> dict[str, int]: ...
    def date(self) -> str: ...
