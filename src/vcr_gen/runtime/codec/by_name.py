"""Functions that are stored by their qualified name, and never called: `ByName`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, Final

from vcr_gen.paths import Step
from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.node import EXACT, LIVE, NO_FIT, Node
from vcr_gen.runtime.codec.plain_kinds import NULL, STR, Plain

_EXPECTED: Final = "a function that its qualified name leads to"
_HINT: Final = (
    "define it with `def` at the top of a module or in a class there; or leave `ByName` out, "
    "if the environment calls it back"
)


class ByNameNode(Node):
    """A function, or `None` if declared: `module:qualname` is stored and compared."""

    def __init__(self, inner: Node, *, rebuilds: bool) -> None:
        self.name = inner.name
        self.kinds = frozenset({STR}) | (inner.kinds & {NULL})
        self.natural = self.kinds & {NULL}
        self._rebuilds: Final = rebuilds

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        """Nothing inside is looked at, so that nothing is called."""
        return ()

    def encode(self, value: object) -> Plain:
        """The name of the function; raises `Fault` if the name does not resolve to it."""
        if value is None and NULL in self.kinds:
            return None
        if self._rebuilds:
            raise Fault(
                "a value that goes out, where it is marked ByName",
                "one that comes in",
                "a replay never looks up functions that a cassette names: mark it Unrecorded, or "
                "give it a Codec",
            )
        if not callable(value):
            raise Fault("a function", show(value))
        name = qualified_name(value)
        if name is None:
            raise Fault(_EXPECTED, _described(value), _HINT)
        return name

    def decode(self, plain: Plain) -> object:
        """Nothing that a cassette names is ever looked up, but that there is nothing."""
        if plain is None and NULL in self.kinds:
            return None
        raise Fault("a value that goes out, where it is marked ByName", show(plain))

    def fits(self, value: object) -> int:
        """Any function."""
        if value is None:
            return EXACT if NULL in self.kinds else NO_FIT
        return LIVE if callable(value) else NO_FIT


def qualified_name(function: Callable[..., Any]) -> str | None:
    """`module:qualname` of a function or class; None if the name resolves to something else."""
    module = getattr(function, "__module__", None)
    qualname = getattr(function, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(qualname, str):
        return None
    found: object = sys.modules.get(module)
    for part in qualname.split("."):
        found = getattr(found, part, None)
    # A method bound to a class is a new, equal object each time it is read.
    same = found is function or (found == function and hasattr(function, "__self__"))
    return f"{module}:{qualname}" if same and found is not None else None


def _described(function: Callable[..., Any]) -> str:
    qualname = getattr(function, "__qualname__", "")
    if not isinstance(qualname, str) or not qualname:
        return f"a {type(function).__name__} object"
    if qualname.endswith("<lambda>"):
        return "a lambda"
    if "<locals>" in qualname:
        return f"{qualname}, which is defined inside a function"
    if getattr(function, "__self__", None) is not None:
        return f"{qualname}, which is bound to an object"
    return f"{qualname}, which is not what its module has under that name"
