"""The bases of generated wrappers: how a wrapper is built, and where it keeps its port."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from vcr_gen.runtime.boundary.port import InboundPort, MixedPort, OutboundPort, Port
from vcr_gen.runtime.boundary.spec import Boundary

if TYPE_CHECKING:
    from vcr_gen.runtime.runs.cassette import Cassette

__all__ = ["InboundWrapper", "MixedWrapper", "OutboundWrapper"]

_P_co = TypeVar("_P_co", covariant=True)


class _Wrapper(Generic[_P_co]):
    """A wrapper and its port.

    A Protocol with a member of the same name as one of these gets a wrapper without a base.
    """

    __vcr_boundary__: ClassVar[Boundary]
    """Set by the `Boundary` that names the wrapper."""
    _port: Port[_P_co]


class OutboundWrapper(_Wrapper[_P_co]):
    """Base of wrappers through which the program calls its environment."""

    def __init__(self, *, cassette: "Cassette", inner: _P_co | None = None) -> None:
        _set_port(self, OutboundPort(cassette, self.__vcr_boundary__, inner, self))

    @classmethod
    def attach(cls, cassette: "Cassette", factory: Callable[[], _P_co]) -> Self:
        """Wrap what `factory` builds; it is called only when the cassette calls the real thing."""
        return cls(cassette=cassette, inner=factory() if cassette.calls_real else None)


class InboundWrapper(_Wrapper[_P_co]):
    """Base of wrappers through which the environment calls the program."""

    def __init__(self, *, cassette: "Cassette", inner: _P_co) -> None:
        _set_port(self, InboundPort(cassette, self.__vcr_boundary__, inner, self))


class MixedWrapper(_Wrapper[_P_co]):
    """Base of wrappers whose members go both ways."""

    def __init__(self, *, cassette: "Cassette", inner: _P_co) -> None:
        _set_port(self, MixedPort(cassette, self.__vcr_boundary__, inner, self))


def _set_port(wrapper: object, port: Port[Any]) -> None:
    # Not by an assignment: a Protocol's own `__setattr__` is a call that crosses the boundary.
    object.__setattr__(wrapper, "_port", port)
