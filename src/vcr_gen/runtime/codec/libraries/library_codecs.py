"""Finds the functions that store the classes of a library, ours or those of an entry point."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Final, TypeAlias

from vcr_gen.known_types import LIBRARIES
from vcr_gen.runtime.codec.fault import Fault
from vcr_gen.runtime.codec.node import ClassNode, DeclaredClass, Node
from vcr_gen.runtime.codec.tags import KINDS, TYPE, VALUE
from vcr_gen.runtime.plain import Plain

GROUP: Final = "vcr_gen.codecs"

Functions: TypeAlias = tuple[Callable[[Any], object], Callable[[Any], object]]
"""Two functions: one turns a value into something that the codec knows, one restores it."""
CodecOf: TypeAlias = Callable[[type[Any]], Functions | None]


class LibraryNode(ClassNode):
    """Values of a class of a library."""

    kinds = KINDS | {VALUE}

    def __init__(self, declared: DeclaredClass, functions: Functions) -> None:
        super().__init__(declared.nodes, declared.cls, declared.name)
        self._encode, self._decode = functions
        self._anything: Final = declared.nodes.node(object)

    def bare(self, value: object) -> Plain:
        try:
            stored = self._encode(value)
        except Exception as error:
            raise self._refusal("value", error) from error
        plain = self._anything.encode(stored)
        return {VALUE: plain} if type(plain) is dict and TYPE in plain else plain

    def restore(self, plain: Plain) -> object:
        if type(plain) is dict and len(plain) == 1 and VALUE in plain:
            plain = plain[VALUE]
        stored = self._anything.decode(plain)
        try:
            made = self._decode(stored)
        except Exception as error:
            raise self._refusal("stored value", error) from error
        if type(made) is not self.cls:
            raise Fault(self.name, f"what makes a {type(made).__qualname__}")
        return made

    def _refusal(self, what: str, error: Exception) -> Fault:
        got = f"a {what} that cannot be converted ({type(error).__name__}: {error})"
        return Fault(self.name, got, "convert it in the bridge, or register a codec for it")


def library_node(declared: DeclaredClass) -> Node | None:
    """The node of a class of a library."""
    for cls in declared.cls.__mro__:  # a message of protobuf is of a module of the user's
        codec_of = _codec_of(cls.__module__.partition(".")[0])
        functions = None if codec_of is None else codec_of(declared.cls)
        if functions is not None:
            return LibraryNode(declared, functions)
    return None


@cache
def _codec_of(library: str) -> CodecOf | None:
    """The function that knows the classes of a library."""
    if library in LIBRARIES:
        found: CodecOf = import_module(f"{__package__}.{LIBRARIES[library]}").codec_of
        return found
    given = _entry_points().get(library)
    return None if given is None else given.load()


@cache
def _entry_points() -> dict[str, Any]:
    return {each.name: each for each in entry_points(group=GROUP)}
