from collections.abc import Callable
from typing import Any, Protocol, TypedDict, TypeVarTuple, overload

from typing_extensions import Unpack

from vcr_gen.boundary import outbound


Ts = TypeVarTuple("Ts")


class Options(TypedDict, total=False):
    timeout: float


@outbound
class Client(Protocol):
    def log(self, message: str, *args: object, **extra: Any) -> None: ...
    def get(self, url: str, /, **options: Unpack[Options]) -> bytes: ...
    def pick(self, first: int, /, second: int, *, third: int = 0, **others: int) -> int: ...
    def only(self, *, a: int, b: str = "b") -> None: ...
    def loose(self, a: int = ..., /, b: int = ..., *args: int, c: int = ..., **kw: int) -> None: ...
    def many(self, *numbers: int, scale: float = 1.0) -> float: ...

    @overload
    def start(self, callback: Callable[[*Ts], Any], *args: *Ts, update: bool) -> None: ...
    @overload
    def start(self, callback: Callable[[*Ts], Any], *args: *Ts) -> None: ...
