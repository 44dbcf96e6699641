"""Classes as values (`type[T]`), values that are thrown away, and annotations that hold none."""

from __future__ import annotations

import types
from typing import Final

from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.node import DYNAMIC, EXACT, NO_FIT, Node, Nodes
from vcr_gen.runtime.codec.plain_kinds import NULL, STR, Plain


class TypeNode(Node):
    """A class below `base`, by its name."""

    kinds = frozenset({STR})

    def __init__(self, nodes: Nodes, base: type, name: str) -> None:
        self.name = name
        self._nodes: Final = nodes
        self._base: Final = base

    def encode(self, value: object) -> Plain:
        """The name of the class, if it leads back to it."""
        if not isinstance(value, type) or not issubclass(value, self._base):
            raise Fault(self.name, show(value))
        name = self._nodes.type_name(value)
        if self._base is object and not self._nodes.may_name(value):
            raise Fault(self.name, f"the class {name}", KNOWN)
        if self._nodes.find_type(name, self._base) is not value:
            raise Fault(self.name, f"a class that cannot be found by its name, {name}")
        return name

    def decode(self, plain: Plain) -> object:
        """The class of that name."""
        if type(plain) is not str:
            raise Fault(self.name, show(plain))
        cls = self._nodes.find_type(plain, self._base)
        if self._base is object and not self._nodes.may_name(cls):
            raise Fault(self.name, f"the class {plain}", KNOWN)
        return cls

    def fits(self, value: object) -> int:
        """A class below the base."""
        return EXACT if isinstance(value, type) and issubclass(value, self._base) else NO_FIT


class TracebackNode(Node):
    """A traceback: it belongs to one run, so it is stored as null and read as `None`."""

    name = "types.TracebackType"
    kinds = frozenset({NULL})
    discards = True

    def encode(self, value: object) -> Plain:
        """Null."""
        if isinstance(value, types.TracebackType) or value is None:
            return None
        raise Fault(self.name, show(value))

    def decode(self, plain: Plain) -> object:
        """`None`."""
        if plain is None:
            return None
        raise Fault("nothing (a traceback is not recorded)", show(plain))

    def fits(self, value: object) -> int:
        """A traceback."""
        return EXACT if isinstance(value, types.TracebackType) else NO_FIT


class UnsupportedNode(Node):
    """An annotation whose values cannot be stored; says so when one arrives."""

    kinds = frozenset[str]()

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self._why: Final = why

    def encode(self, value: object) -> Plain:
        """Refused."""
        raise Fault(f"a value that can be stored ({self.name}: {self._why})", show(value), HINT)

    def decode(self, plain: Plain) -> object:
        """Refused."""
        raise Fault(f"a value that can be stored ({self.name}: {self._why})", show(plain), HINT)

    def fits(self, value: object) -> int:
        """As a last resort, to give the reason."""
        del value
        return DYNAMIC * 10


KNOWN: Final = "declare type[Base] with a base of the class, or register it with `known`"
HINT: Final = (
    "register a codec for the type: registry.register(Class, encode, decode) and "
    "Cassette(…, codecs=registry); or mark it: Annotated[Class, Codec(encode, decode)]"
)
