"""Tells the members that Python itself needs on every object or class."""

import ast
from collections.abc import Sequence
from typing import Final

from vcr_gen.gen.model.annotation import Subscript, Tuple, full_name, unquoted
from vcr_gen.gen.protocols.declarations import MemberPlace
from vcr_gen.gen.sources.syntax import all_parameters

__all__ = ["NOT_MEMBERS", "is_reserved"]

NOT_MEMBERS: Final = frozenset(
    {
        "__abstractmethods__",
        "__annotate__",
        "__annotate_func__",
        "__annotations__",
        "__annotations_cache__",
        "__class_getitem__",
        "__dict__",
        "__doc__",
        "__firstlineno__",
        "__init__",
        "__init_subclass__",
        "__module__",
        "__new__",
        "__slots__",
        "__static_attributes__",
        "__subclasshook__",
        "__weakref__",
    }
)
"""Attributes that every class has, declared or not."""
_NEEDED: Final = frozenset({"__class__", "__del__", "__getattribute__", "__qualname__"})
_DICTS: Final = frozenset({"builtins.dict", "typing.Dict"})


def is_reserved(name: str, nodes: Sequence[ast.stmt], place: MemberPlace) -> bool:
    """Whether a wrapper that answered for the real object would not work, or cannot be defined."""
    first = nodes[0]
    if name in {"__new__", "__init_subclass__"}:
        return any(
            len(all_parameters(node.args)) > 1
            for node in nodes
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        )
    if name in {"__dict__", "__annotations__"} and isinstance(first, ast.AnnAssign):
        match unquoted(place.typed(first.annotation)):
            case Subscript(value=kind, inner=Tuple(elements=(key, value))):
                found = [full_name(part) for part in (kind, key, value)]
                return found[1:] != ["builtins.str", "typing.Any"] or found[0] not in _DICTS
        return True
    return name in _NEEDED
