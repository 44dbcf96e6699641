"""Markers that say which way data crosses an environment boundary.

They do nothing at run time and import nothing of vcr-gen, so that an application can use them
without depending on a test tool. The generator reads them from source.
"""

from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar, final, overload

__all__ = [
    "ByName",
    "Codec",
    "Match",
    "Secret",
    "Shown",
    "Unrecorded",
    "Volatile",
    "inbound",
    "outbound",
    "unrecorded",
]

_T = TypeVar("_T")


@overload
def outbound(target: _T, /) -> _T: ...
@overload
def outbound(*, name: str = ...) -> Callable[[_T], _T]: ...
def outbound(target: object = None, /, *, name: str = "") -> object:
    """Mark a Protocol, or one of its methods, as called by the system: arguments go out."""
    return _mark if target is None else target


@overload
def inbound(target: _T, /) -> _T: ...
@overload
def inbound(*, name: str = ...) -> Callable[[_T], _T]: ...
def inbound(target: object = None, /, *, name: str = "") -> object:
    """Mark a Protocol, or one of its methods, as called by the environment: arguments come in."""
    return _mark if target is None else target


def unrecorded(target: _T, /) -> _T:
    """Mark a member that is passed through to the real component, neither recorded nor compared."""
    return target


def _mark(target: _T) -> _T:
    return target


@final
class Marker:
    """A marker for `Annotated`; it has only a name."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name: Final = name

    def __repr__(self) -> str:
        return self._name


Secret: Final = Marker("Secret")
"""Never stored nor shown; compared up to a consistent renaming."""

Volatile: Final = Marker("Volatile")
"""Stored and shown, but not compared."""

Unrecorded: Final = Marker("Unrecorded")
"""Passed through: neither stored nor compared (timeouts, live objects)."""

ByName: Final = Marker("ByName")
"""A function that is the environment's work: stored and compared by its name, never called."""


@final
class Match:
    """Compare a value with `same(recorded, actual)`, or by its `key`, instead of equality.

    `key(value)` returns what counts of a value, as plain data: texts, numbers, lists, dicts. A
    failure then shows what differs inside the keys, and calls are found by them.
    `joined(items)` does the same for all items of a stream at once, in mode `verify`: how the
    environment cuts a stream into items does not count then.
    Two of the same function are equal, so that annotations with them are.
    """

    __slots__ = ("joined", "key", "same")

    @overload
    def __init__(self, same: Callable[[Any, Any], bool]) -> None: ...
    @overload
    def __init__(self, *, key: Callable[[Any], Any]) -> None: ...
    @overload
    def __init__(self, *, joined: Callable[[list[Any]], Any]) -> None: ...
    def __init__(
        self,
        same: Callable[[Any, Any], bool] | None = None,
        *,
        key: Callable[[Any], Any] | None = None,
        joined: Callable[[list[Any]], Any] | None = None,
    ) -> None:
        if (same, key, joined).count(None) != 2:
            raise TypeError("Match takes one function: `same`, `key=…` or `joined=…`")
        self.same: Final = same
        self.key: Final = key
        self.joined: Final = joined

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Match) and other._functions == self._functions

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        option = "key=" if self.key else "joined=" if self.joined else ""
        return f"Match({option}{self.name})"

    @property
    def name(self) -> str:
        """The name of its function."""
        return name_of(self.key or self.joined or self.same)

    @property
    def _functions(self) -> tuple[object, ...]:
        return self.same, self.key, self.joined


@final
class Shown:
    """Show a record in messages and reports by some of its fields: `Shown("{method} {url}")`.

    On a parameter, `name` also names the calls, for statistics and rules: with
    `name="{method} {url.path}"`, a call of the boundary `http` is `http GET /jobs/7`. The `path` of
    a URL is a field of it, `{name?}` is left out where it is missing, and `{}` is the whole value.
    """

    __slots__ = ("form", "name")

    def __init__(self, form: str = "", *, name: str = "") -> None:
        self.form: Final = form
        self.name: Final = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shown) and (other.form, other.name) == (self.form, self.name)

    def __hash__(self) -> int:
        return hash((self.form, self.name))

    def __repr__(self) -> str:
        given = [repr(self.form)] if self.form else []
        return f"Shown({', '.join([*given, *([f'name={self.name!r}'] if self.name else [])])})"


@final
class Codec(Generic[_T]):
    """Store a value without a codec as the result of `encode`.

    Two of the same functions are equal, so that annotations with them are.
    """

    __slots__ = ("decode", "encode")

    def __init__(self, encode: Callable[[_T], object], decode: Callable[[Any], _T]) -> None:
        self.encode: Final = encode
        self.decode: Final = decode

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Codec) and (other.encode, other.decode)
        return same == (self.encode, self.decode)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"Codec({name_of(self.encode)}, {name_of(self.decode)})"


def name_of(function: object) -> str:
    """A function's name without its address, for signatures in cassettes."""
    name = getattr(function, "__name__", type(function).__name__)
    return name if name.isidentifier() else "..."
