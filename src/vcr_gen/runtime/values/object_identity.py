"""What makes two live objects the same, and how long an object is that object."""

from collections.abc import Callable
from types import BuiltinMethodType, MethodType, ModuleType
from typing import Any, TypeAlias, final
from weakref import WeakMethod, ref

__all__ = ["NumberSet", "key_of", "weak_getter"]

Collected: TypeAlias = Callable[[Any], None]


def key_of(value: object) -> object:
    """What makes two objects the same: a bound method is made anew each time it is named."""
    if isinstance(value, MethodType):  # asked for its attributes, an object may answer anything
        return (id(value.__self__), value.__func__)
    if isinstance(value, BuiltinMethodType):
        return (id(value.__self__), value.__name__)
    return id(value)


def weak_getter(value: Any, collected: Collected) -> Callable[[], Any] | None:
    """What gives an object while something else keeps it alive, and None later.

    Of a bound method, the object it is bound to counts. None where that cannot be referred to
    weakly, such as a list.
    """
    try:
        if isinstance(value, MethodType):
            return WeakMethod(value, collected)
        if isinstance(value, BuiltinMethodType) and not isinstance(value.__self__, ModuleType):
            return _weak_builtin_method(value, collected)
        return ref(value, collected)
    except TypeError:
        return None


def _weak_builtin_method(method: BuiltinMethodType, collected: Collected) -> Callable[[], Any]:
    name = method.__name__
    holder = ref(method.__self__, collected)

    def get() -> Any:
        held = holder()
        return None if held is None else getattr(held, name)

    return get


@final
class NumberSet:
    """A set of numbers that, being mostly all from 1 on, takes next to no room."""

    def __init__(self) -> None:
        self._below = 1
        self._others: set[int] = set()

    def add(self, number: int) -> None:
        """Put a number in."""
        self._others.add(number)
        while self._below in self._others:
            self._others.remove(self._below)
            self._below += 1

    def __contains__(self, number: int) -> bool:
        return 0 < number < self._below or number in self._others
