"""Decides which default of a parameter a Protocol can repeat; `...` stands for any other."""

import ast
import builtins
import linecache
from typing import Final

from vcr_gen.gen.extract.own_name import is_type_variable
from vcr_gen.gen.extract.variables import read
from vcr_gen.gen.protocols.mro import is_protocol
from vcr_gen.gen.sources.library import Library
from vcr_gen.gen.sources.modules import Module
from vcr_gen.gen.types.scope import Scope, parsed_string

__all__ = ["repeated_default"]

_SIMPLE: Final = (
    *(ast.Constant, ast.UnaryOp, ast.USub, ast.Name, ast.Attribute, ast.Load, ast.Tuple),
)
_PLAIN: Final[dict[str, tuple[type, ...]]] = {
    "builtins.bool": (bool,),
    "builtins.bytes": (bytes,),
    "builtins.float": (bool, int, float),
    "builtins.int": (bool, int),
    "builtins.str": (str,),
}
_MOST_ALIASES: Final = 10


def repeated_default(
    value: ast.expr, annotation: ast.expr | None, library: Library, module: Module
) -> ast.expr:
    """The default if it is a literal or a name that fits the annotation, else `...`.

    Code that is not checked says `timeout: int = None`, and checked code tells the checker to
    look away: neither could be repeated in a Protocol that is clean.
    """
    fits = all(
        isinstance(inner, _SIMPLE)
        and (not isinstance(inner, ast.Name) or _is_global(inner.id, library, module))
        for inner in ast.walk(value)
    )
    if fits and annotation is not None:
        if isinstance(value, ast.Constant):
            fits = _takes(annotation, value, Scope(library, module), _MOST_ALIASES)
        else:
            line = linecache.getline(str(module.path), value.lineno)
            fits = "type: ignore" not in line
    return value if fits else ast.Constant(...)


def _is_global(name: str, library: Library, module: Module) -> bool:
    """Whether a name has a meaning outside the class too."""
    return hasattr(builtins, name) or library.binding(module, name) is not None


def _takes(annotation: ast.expr, value: ast.Constant, scope: Scope, depth: int) -> bool:
    """Whether a constant may be of the annotated type; in doubt it may."""
    match annotation:
        case ast.Constant(value=None):
            return value.value is None
        case ast.Constant(value=str(text)) if (inner := parsed_string(text)) is not None:
            return _takes(inner, value, scope, depth)
        case ast.BinOp(left=left, right=right):
            return _takes(left, value, scope, depth) or _takes(right, value, scope, depth)
        case ast.Subscript(value=head, slice=inner):
            name = scope.name_of(head)
            if name.startswith(("typing.Literal", "typing.Annotated")):
                return True
            if name in {"typing.Optional", "typing.Union"}:
                parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                if value.value is None and name == "typing.Optional":
                    return True
                return any(_takes(one, value, scope, depth) for one in parts)
            return _takes(head, value, scope, depth)
        case ast.Name() | ast.Attribute():
            return _is_instance(annotation, value, scope, depth)
    return True


def _is_instance(annotation: ast.expr, value: ast.Constant, scope: Scope, depth: int) -> bool:
    name = scope.name_of(annotation)
    if name in _PLAIN:
        return value.value is ... or isinstance(value.value, _PLAIN[name])
    if value.value is not None or name == "builtins.object":
        return True
    found = read(scope.library, scope.resolve(annotation))
    if found is None:
        return not name.startswith("builtins.")
    if isinstance(found.node, ast.ClassDef):
        return is_protocol(scope.library, found)
    if is_type_variable(found.node):
        return False
    alias = getattr(found.node, "value", None)
    if isinstance(alias, ast.expr) and depth and not isinstance(alias, ast.Call):
        return _takes(alias, value, Scope(scope.library, found.module), depth - 1)
    return True
