from typing import NoReturn, Protocol

from vcr_gen.boundary import outbound


@outbound
class Account(Protocol):
    @property
    def balance(self) -> int:
        """What is there."""
        ...

    @property
    def owner(self) -> str: ...
    @owner.setter
    def owner(self, value: str) -> None: ...
    @owner.deleter
    def owner(self) -> None: ...

    @property
    async def rate(self) -> float: ...

    @property
    def closed(self) -> NoReturn: ...
