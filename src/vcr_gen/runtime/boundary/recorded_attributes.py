"""Plain attributes of a wrapper: reading one is a call, and so is setting it."""

from collections.abc import Callable, Mapping
from functools import cached_property
from inspect import get_annotations
from typing import Any, ClassVar, get_args, get_origin

from vcr_gen.runtime.boundary.calls import Call, OwnCalls, event
from vcr_gen.runtime.boundary.port import port_of

__all__ = ["recorded_attribute"]


def recorded_attribute(*, settable: bool = True) -> Any:
    """An attribute that is read and set through the cassette: `name: str = …`."""
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
