"""Live objects without a boundary: their kinds, and wrappers whose uses are calls."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, final

from vcr_gen.runtime.boundary.port import Link
from vcr_gen.runtime.boundary.spec import Method, Parameter
from vcr_gen.runtime.loops.backends import as_answer

Methods: TypeAlias = Mapping[str, Method]
Members: TypeAlias = Mapping[str, tuple[Any, Mapping[str, object]]]
"""The result and the parameters of each member, by its name."""


@final
@dataclass(frozen=True, slots=True)
class LiveKind:
    """A kind of live object: its word on the tape, what it can do, and its wrapper."""

    word: str
    methods: Methods
    wrap: Callable[[Link, Methods, Any], Any]
    use: Callable[[Any, str, Mapping[str, object]], Any]
    """Uses a wrapper as a recorded call describes."""
    fits: Callable[[object], bool]
    rank: Callable[[object], int] = lambda _: 0
    """How well an object matches, for a union: the lowest is best."""


class Live:
    """The wrapper of a live object, whose uses are calls."""

    def __init__(self, link: Link, methods: Methods, real: Any) -> None:
        self._link = link
        self._methods = methods
        self._real = real


class LiveMembers(Live):
    """A wrapper whose calls have the names of the real object's members.

    An argument that is left out is `...`.
    """

    def use(self, key: str, arguments: Mapping[str, object]) -> Any:
        """Make a call."""
        method = self._methods[key]
        carry = self._link.acall if method.asynchronous else self._link.call
        return carry(method, arguments, lambda given: self._perform(key, given))

    def _perform(self, key: str, arguments: Mapping[str, Any]) -> Any:
        return getattr(self._real, key)(*given_arguments(arguments))


def use_member(wrapper: LiveMembers, key: str, arguments: Mapping[str, object]) -> Any:
    """Use a wrapper as a recorded call describes."""
    return wrapper.use(key, arguments)


def given_arguments(arguments: Mapping[str, object]) -> list[object]:
    """The arguments without those that are left out."""
    return [value for value in arguments.values() if value is not ...]


def methods_of(
    kind: str, members: Members, *, inbound: bool, asynchronous: bool = False
) -> dict[str, Method]:
    """The methods for members whose arguments may be left out; on the tape, `kind.member`."""
    return {
        name: Method(
            f"{kind}.{name}",
            tuple(Parameter(key, of, "", optional=True) for key, of in parameters.items()),
            result,
            asynchronous,
            inbound,
            leaves=name == "exit",
        )
        for name, (result, parameters) in members.items()
    }


def has_member(value: object, name: str) -> bool:
    """Whether an object has an attribute, judged without using it; a proxy is asked."""
    cls = type(value)
    if hasattr(cls, name) or name in getattr(value, "__dict__", {}):
        return True
    return hasattr(cls, "__getattr__") and hasattr(value, name)


def exit_arguments(error: BaseException | None) -> tuple[object, object, object]:
    """The arguments of `__exit__`."""
    return (None, None, None) if error is None else (type(error), error, error.__traceback__)


def seen(error: BaseException | None) -> dict[str, object]:
    """The recorded argument of an exit: the exception that left the block."""
    return {"exception": None if error is None else as_answer(error)}
