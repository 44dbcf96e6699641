from typing import Any, Protocol, Self, TypeVar

from vcr_gen.boundary import outbound


@outbound
class Port(Protocol):
    def __getattribute__(self, name: str) -> object: ...
    @property
    def __qualname__(self) -> str: ...


_Names = TypeVar("_Names")


@outbound
class Built(Protocol[_Names]):
    def __new__(cls, size: int) -> Self: ...

    __dict__: _Names
    __annotations__: "dict[str, Any]"


@outbound
class Plugin(Protocol):
    def __init_subclass__(cls, **kwargs: Any) -> None: ...


@outbound
class Plain(Protocol):
    def __init_subclass__(cls) -> None: ...


@outbound
class Temporary(Protocol):
    def __del__(self) -> None: ...
