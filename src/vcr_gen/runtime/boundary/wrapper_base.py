"""The parts of generated wrappers: their bases, and recorded plain attributes."""

from collections.abc import Callable, Mapping
from functools import cached_property
from inspect import get_annotations
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, get_args, get_origin

from vcr_gen.errors import UsageError
from vcr_gen.runtime.boundary.calls import Call, OwnCalls, event
from vcr_gen.runtime.boundary.port import (
    InboundPort,
    MixedPort,
    OutboundPort,
    Port,
    check_cassette,
    port_of,
)
from vcr_gen.runtime.boundary.spec import Boundary

if TYPE_CHECKING:
    from vcr_gen.runtime.runs.cassette import Cassette

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
        check_cassette(cassette, f"{cls.__name__}.attach needs an open cassette first")
        if not callable(factory):
            name = type(factory).__name__
            raise UsageError(
                f"{cls.__name__}.attach needs a class or a function, so that nothing real is built "
                f"in a replay; got an object of {name}\n\n"
                f"hint: {cls.__name__}.attach(cassette, {name}); or, with arguments, "
                f"{cls.__name__}.attach(cassette, lambda: {name}(…))"
            )
        try:
            inner = factory() if cassette.calls_real else None
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise  # by the factory's own code
            name = getattr(factory, "__name__", "factory")
            raise UsageError(
                f"{cls.__name__}.attach calls {name} without arguments: {error}\n\n"
                f"hint: {cls.__name__}.attach(cassette, lambda: {name}(…))"
            ) from None
        return cls(cassette=cassette, inner=inner)


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


def recorded_attribute(*, settable: bool = True) -> Any:
    """A plain attribute (`name: str = …`): reading it is a call, and so is setting it."""
    return _Recorded(settable=settable)


class _Recorded(OwnCalls):
    """Its calls are made from its annotation, as the calls of methods are generated."""

    def __init__(self, *, settable: bool) -> None:
        self._settable = settable

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner = owner
        self._name = name

    @cached_property
    def calls(self) -> Mapping[str, type[Call]]:
        name, annotation = self._name, self._annotation()

        def read(_: object, target: Any) -> Any:
            return getattr(target, name)

        def change(call: Any, target: Any) -> None:
            setattr(target, name, call.value)

        found = {name: self._call("", read, {}, annotation)}
        if self._settable:
            found[f"{name}.set"] = self._call(".set", change, {"value": annotation}, None)
        return found

    def __get__(self, wrapper: object | None, owner: type) -> Any:
        if wrapper is None:
            return self
        call: Any = self.calls[self._name]
        return port_of(wrapper).call(call())

    def __set__(self, wrapper: object, value: object) -> None:
        if not self._settable:
            raise AttributeError(f"{self._owner.__name__}.{self._name} cannot be set")
        call: Any = self.calls[f"{self._name}.set"]
        port_of(wrapper).call(call(value=value))

    def _annotation(self) -> object:
        annotation = get_annotations(self._owner)[self._name]
        origin: object = get_origin(annotation)
        return get_args(annotation)[0] if origin is ClassVar else annotation

    def _call(
        self,
        what: str,
        perform: Callable[..., object],
        fields: Mapping[str, object],
        result: object,
    ) -> type[Call]:
        perform.__annotations__ = {"target": object, "return": result}
        body = {
            "__annotations__": dict(fields),
            "__call__": perform,
            "__module__": self._owner.__module__,
        }
        plain: type[Call] = type(f"{self._owner.__name__}.{self._name}{what}", (Call,), body)
        made = event(plain)
        parameters = getattr(self._owner, "__type_params__", ())
        if parameters:
            type.__setattr__(made, "__type_params__", parameters)
        return made
