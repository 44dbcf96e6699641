from typing import Protocol, TypeGuard

from typing_extensions import TypeIs

from vcr_gen.boundary import outbound


@outbound
class Checker(Protocol):
    def is_number(self, value: object) -> TypeIs[int]: ...
    def are_words(self, value: list[object]) -> TypeGuard[list[str]]: ...
