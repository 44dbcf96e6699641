"""How types and annotations are called in recordings and messages."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin


def plain_type_name(cls: type) -> str:
    """`int` for a builtin, `module.qualname` for any other class."""
    if cls.__module__ == "builtins":
        return cls.__qualname__
    return f"{cls.__module__}.{cls.__qualname__}"


def describe(annotation: object, type_name: Callable[[type], str] = plain_type_name) -> str:
    """An annotation in words that do not depend on how it was spelled."""
    if annotation is None or annotation is type(None):
        return "None"
    if annotation is Any:
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
