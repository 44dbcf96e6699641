from collections.abc import Awaitable, Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from typing_extensions import TypeVarTuple, Unpack

from vcr_gen.boundary import outbound

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Ts = TypeVarTuple("Ts")


@outbound
class Pool(Protocol):
    def submit(self, job: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T: ...
    async def run(
        self, job: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> T: ...
    def with_context(self, job: Callable[Concatenate[int, P], T]) -> Callable[P, T]: ...
    def spread(self, job: Callable[[Unpack[Ts]], T], *args: Unpack[Ts]) -> T: ...


@outbound
class Task(Protocol[P, T_co]):
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T_co: ...
    @property
    def name(self) -> str: ...


@outbound
class Entry(Protocol[P, T_co]):
    def __call__(self, *args: object, **kwargs: object) -> T_co: ...
