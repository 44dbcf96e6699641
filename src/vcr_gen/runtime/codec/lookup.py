"""Classes and functions by their names in a recording; nothing is ever imported."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from vcr_gen.runtime.codec.annotations import Unresolved
from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.node import EXACT, LIVE, NO_FIT, Node
from vcr_gen.runtime.codec.tags import NULL, STR
from vcr_gen.runtime.plain import Plain


def plain_type_name(cls: type) -> str:
    """`int` for a builtin, `module.qualname` for any other class."""
    if cls.__module__ == "builtins":
        return cls.__qualname__
    return f"{cls.__module__}.{cls.__qualname__}"


def describe(annotation: object, type_name: Callable[[type], str] = plain_type_name) -> str:
    """An annotation in words that do not depend on how it was spelled."""
    if annotation is None or annotation is type(None):
        return "None"
    if annotation is Any or annotation is Unresolved:
        return "Any"
    if annotation is ...:
        return "..."
    if isinstance(annotation, list):
        return f"[{', '.join(describe(part, type_name) for part in annotation)}]"
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is None:
        return _simple(annotation, type_name)
    if origin is Annotated:
        return describe(args[0], type_name)
    if origin is Union or origin is types.UnionType:
        return " | ".join(_none_last({describe(arg, type_name) for arg in args}))
    if origin is Literal:
        return f"Literal[{', '.join(repr(arg) for arg in args)}]"
    inner = ", ".join(describe(arg, type_name) for arg in args) or "()"
    return f"{_simple(origin, type_name)}[{inner}]"


def _simple(annotation: object, type_name: Callable[[type], str]) -> str:
    if isinstance(annotation, type):
        return type_name(annotation)
    name = getattr(annotation, "__name__", None) or getattr(annotation, "_name", None)
    return str(name) if name else repr(annotation)


def _none_last(names: set[str]) -> list[str]:
    return [*sorted(names - {_NONE}), *sorted(names & {_NONE})]


_NONE: Final = "None"


_LOCAL: Final = ".<locals>."


def find_loaded(name: str, base: type) -> type:
    """The loaded class with this name, if it is `base` or a subclass; raises `Fault` if not."""
    found = _in_module(name)
    if found is None or not issubclass(found, base):
        found = _defined_last(name, base)
    if found is None:
        module = name.rpartition(".")[0]
        expected = f"a loaded type below {plain_type_name(base)}"
        hint = f"import {module} before, or register the type" if module else ""
        if _LOCAL in name:
            hint = "call the function that defines it before, or define it in a module"
        elif module == "__main__":
            hint = "define the type in a module that can be imported, not in a script"
        raise Fault(expected, f"the name {show(name)}", hint)
    return found


def check_held(cls: type) -> None:
    """Raise `Fault` for a class that no loaded module contains, directly or in a class.

    A class that a function of the program defines exists again once the function is called again.
    A class of a module that the program itself loads (a plugin, a script) exists again once the
    module is loaded again. A class whose name contains no function cannot be found again.
    """
    if _LOCAL in cls.__qualname__ or cls.__module__ not in sys.modules or _is_held(cls):
        return
    base = next(plain_type_name(each) for each in cls.__mro__[1:] if _is_held(each))
    raise Fault(
        "a class that a replay can find",
        f"{plain_type_name(cls)}, which was created at run time and is in no module",
        f"raise a class of a module, such as {base}, from the bridge instead; or register a "
        f"codec: registry.register({cls.__name__}, encode, decode) and "
        "Cassette(…, codecs=registry)",
    )


def _is_held(cls: type) -> bool:
    if _in_module(plain_type_name(cls)) is cls:
        return True
    held = [value for module in list(sys.modules.values()) for value in _values(module)]
    return any(value is cls or any(each is cls for each in _values(value)) for value in held)


def _values(holder: object) -> list[object]:
    """The members of a module or class."""
    if not issubclass(type(holder), ModuleType | type):  # some objects only claim to be a module
        return []
    return list(object.__getattribute__(holder, "__dict__").values())  # a lazy one stays unloaded


def _in_module(name: str) -> type | None:
    """The class of a loaded module with that name; the lookup runs no code."""
    module, _, qualname = name.rpartition(".")
    path = [qualname]
    while module and module not in sys.modules:
        module, _, outer = module.rpartition(".")
        path.insert(0, outer)
    found: object = sys.modules.get(module or "builtins")
    for part in path:
        found = vars(found).get(part) if hasattr(found, "__dict__") else None
    return found if isinstance(found, type) and plain_type_name(found) == name else None


def _defined_last(name: str, base: type) -> type | None:
    """The newest class of that name, for classes outside modules.

    `dataclass(slots=True)` leaves the class it replaced behind, under the same name.
    """
    named = [cls for cls in _below(base) if plain_type_name(cls) == name] or [
        cls  # registered with an abstract base rather than derived from it
        for cls in _below(object)
        if plain_type_name(cls) == name and issubclass(cls, base)
    ]
    return named[-1] if named else None


def _below(base: type) -> Iterator[type]:
    seen: set[type] = set()
    pending = [base]
    while pending:
        cls = pending.pop()
        if cls in seen:
            continue
        seen.add(cls)
        yield cls
        pending.extend(reversed(type.__subclasses__(cls)))


_EXPECTED: Final = "a function that its qualified name leads to"
_HINT: Final = (
    "define it with `def` at the top of a module or in a class there; or leave `ByName` out, "
    "if the environment calls it back"
)


class ByNameNode(Node):
    """A function, or `None` if declared: `module:qualname` is stored and compared."""

    def __init__(self, inner: Node, *, rebuilds: bool) -> None:
        self.name = inner.name
        self.natural = inner.natural & {NULL}
        self._rebuilds: Final = rebuilds

    @property
    def kinds(self) -> frozenset[str]:
        return self.natural | {STR}

    def encode(self, value: object) -> Plain:
        if value is None and self.natural:
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
        if plain is None and self.natural:
            return None
        raise Fault("a value that goes out, where it is marked ByName", show(plain))

    def fits(self, value: object) -> int:
        if value is None:
            return EXACT if self.natural else NO_FIT
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
