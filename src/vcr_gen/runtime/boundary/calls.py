"""The typed events that generated code makes, and the small words it needs to write them."""

import inspect
import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Final, Generic, ParamSpec, Protocol, TypeVar, dataclass_transform

from vcr_gen.errors import UsageError

_T_contra = TypeVar("_T_contra", contravariant=True)
_R_co = TypeVar("_R_co", covariant=True)
_P = ParamSpec("_P")
_R = TypeVar("_R")


class Call:
    """One call of a boundary's method with its arguments: `call(target)` makes it."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The call without its values, which may be secret."""
        names = ", ".join(f"{name}=…" for name in getattr(self, "__dataclass_fields__", ()))
        return f"{type(self).__qualname__}({names})"


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def event(cls: type[_R]) -> type[_R]:
    """The decorator of a typed call: a frozen, slotted, keyword-only dataclass."""
    return dataclass(frozen=True, slots=True, kw_only=True, repr=False)(cls)


class OwnCalls(ABC):
    """A member of a wrapper that brings its own typed calls."""

    @property
    @abstractmethod
    def calls(self) -> Mapping[str, type[Call]]:
        """The calls, by their names on the tape."""


class CallTo(Protocol[_T_contra, _R_co]):
    """A `Call` as the ports see it."""

    def __call__(self, target: _T_contra, /) -> _R_co:
        """Make the call on `target`."""


class AsyncCallTo(Protocol[_T_contra, _R_co]):
    """A `Call` of an `async def` method as the ports see it."""

    async def __call__(self, target: _T_contra, /) -> _R_co:
        """Make the call on `target`."""


OMITTED: Final[Any] = ...
"""The default of a parameter whose Protocol says `= ...`: the implementation knows the value."""


def given(**arguments: object) -> dict[str, Any]:
    """The arguments that were given, so that the implementation's defaults apply to the rest."""
    return {name: value for name, value in arguments.items() if value is not OMITTED}


def given_positional(*arguments: object) -> tuple[Any, ...]:
    """The positional arguments up to the first one that was not given."""
    values = list(arguments)
    while values and values[-1] is OMITTED:
        values.pop()
    return tuple(values)


def default_of(protocol: object, method: str, parameter: str) -> Any:
    """The default object of a Protocol method's parameter, if it has no literal."""
    return inspect.signature(getattr(protocol, method)).parameters[parameter].default


def implementation(function: Callable[..., Any]) -> Any:
    """The function itself; of no type, where no type would fit all its overloads."""
    return function


class instance_member(Generic[_P, _R]):
    """A class or static method of a Protocol, recorded when it is used through an instance."""

    def __init__(self, function: Callable[_P, _R]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    def __get__(self, instance: object, owner: type) -> Callable[..., _R]:
        if instance is not None:
            return types.MethodType(self._function, instance)
        name = f"{owner.__name__}.{self._function.__name__}"

        @wraps(self._function)
        def unbound(*_: object, **__: object) -> _R:
            raise UsageError(
                f"{name} was called on the class, which has no cassette; "
                f"call it on a {owner.__name__} instance"
            )

        signature = inspect.signature(self._function)
        bare = signature.replace(parameters=list(signature.parameters.values())[1:])
        vars(unbound)["__signature__"] = bare
        return unbound
