"""Types that users teach the codec, and types a recording may name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from vcr_gen.runtime.codec.compiler import Compiler

T = TypeVar("T")

REGISTER: Final = "registry.register(Class, encode, decode) and Cassette(…, codecs=registry)"
HINT: Final = (
    "for a live object such as a connection, declare a Protocol marked with @outbound or "
    "@inbound; if the value does not matter, mark it: Annotated[…, Unrecorded]; else register a "
    f"codec: {REGISTER}"
)

_FUNCTIONS: Final = (FunctionType, BuiltinFunctionType, MethodType, partial)
_FUNCTION_HINT: Final = (
    "if the environment calls it back, declare it as `Callable[[int], int]`, with the types of the "
    "function; if it does not matter, mark it: Annotated[…, Unrecorded]"
)


def hint_for(cls: type) -> str:
    """What to do about a value of a class that has no codec."""
    return _FUNCTION_HINT if issubclass(cls, _FUNCTIONS) else HINT


@dataclass(frozen=True, slots=True)
class Registered:
    """The pair of functions that stores a type."""

    type_: type
    name: str
    encode: Callable[[Any], object]
    decode: Callable[[Any], object]


class Registry:
    """Registered codecs, and the types a `$type` tag may name beside those annotations reach.

    With `declared_only`, objects of ordinary classes are refused: by default they are stored by
    their attributes.
    """

    def __init__(self, *, declared_only: bool = False) -> None:
        self.declared_only: Final = declared_only
        self._codecs: dict[type, Registered] = {}
        self._named: dict[str, type] = {}
        self._names: dict[type, str] = {}
        self.version = 0
        """Counts the changes, so that codecs are compiled again after one."""
        self.compilers: dict[object, Compiler] = {}
        """The compiler of annotations with these codecs, which lives as long as they do."""
        self.by_attributes: Counter[type] = Counter()
        """How many objects of each class were stored by their attributes."""

    def register(
        self,
        type_: type[T],
        encode: Callable[[T], object],
        decode: Callable[[Any], T],
        *,
        name: str | None = None,
    ) -> None:
        """Store values of exactly `type_` as the result of `encode`; `decode` restores them.

        `encode` may return any type with a codec. `name` is the type's name in
        recordings; by default `module.qualname`.
        """
        chosen = name or f"{type_.__module__}.{type_.__qualname__}"
        self._codecs[type_] = Registered(type_, chosen, encode, decode)
        self._give_name(type_, chosen)

    def known(self, *types: type) -> None:
        """Let recordings name these types, where any value is accepted."""
        for type_ in types:
            self._give_name(type_, f"{type_.__module__}.{type_.__qualname__}")

    def codec_of(self, type_: type) -> Registered | None:
        """The registered functions for a type."""
        return self._codecs.get(type_)

    def name_of(self, type_: type) -> str | None:
        """The name under which a type is registered."""
        return self._names.get(type_)

    def named(self, name: str) -> type | None:
        """The type registered under a name."""
        return self._named.get(name)

    def _give_name(self, type_: type, name: str) -> None:
        other = self._named.get(name)
        if other is not None and other is not type_:
            raise ValueError(f"the name {name} is already registered for {other!r}")
        self._named[name] = type_
        self._names[type_] = name
        self.version += 1
