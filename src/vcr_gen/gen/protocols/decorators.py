"""Reads the decorators of a Protocol's members."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from vcr_gen.gen.model.annotation import Annotation
from vcr_gen.gen.protocols.problems import RefusedMemberError
from vcr_gen.gen.settings.config import Direction
from vcr_gen.gen.sources.loader import Definition
from vcr_gen.gen.sources.syntax import Function
from vcr_gen.gen.types.resolve import resolve_names
from vcr_gen.gen.types.scope import Scope

_MARKERS: Final[Mapping[str, Direction]] = {
    "vcr_gen.boundary.outbound": "outbound",
    "vcr_gen.boundary.inbound": "inbound",
    "vcr_gen.outbound": "outbound",
    "vcr_gen.inbound": "inbound",
}
"""The names in `vcr_gen` itself are used where its source cannot be read and followed."""
_MEANINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "abc.abstractclassmethod": {"binding": "class"},
    "abc.abstractmethod": {},
    "abc.abstractproperty": {"role": "property"},
    "abc.abstractstaticmethod": {"binding": "static"},
    "builtins.classmethod": {"binding": "class"},
    "builtins.property": {"role": "property"},
    "builtins.staticmethod": {"binding": "static"},
    "typing.deprecated": {"deprecated": True},
    "typing.final": {},
    "typing.overload": {"overload": True},
    "typing.override": {},
    "typing.runtime_checkable": {},
    "vcr_gen.boundary.unrecorded": {"recorded": False},
    "vcr_gen.unrecorded": {"recorded": False},
    "warnings.deprecated": {"deprecated": True},
}
"""What each decorator says about a function, as fields of `Decorations`."""
_DEPRECATED: Final = frozenset({"typing.deprecated", "warnings.deprecated"})
_REPEATED: Final = _DEPRECATED | {"typing.final"}
_MANAGERS: Final = {
    "contextlib.asynccontextmanager": "def … -> AbstractAsyncContextManager[…]",
    "contextlib.contextmanager": "def … -> AbstractContextManager[…]",
}


@dataclass(frozen=True, slots=True)
class Decorations:
    """What the decorators of one function say."""

    overload: bool = False
    binding: Literal["instance", "class", "static"] = "instance"
    role: Literal["method", "property", "setter", "getter", "deleter"] = "method"
    deprecated: bool = False
    repeated: tuple[Annotation, ...] = ()
    """Decorators that the wrapper repeats."""
    directions: frozenset[Direction] = frozenset()
    recorded: bool = True


def mark_of(decorator: ast.expr, scope: Scope) -> tuple[ast.expr, Direction] | None:
    """The mark that a decorator is, and its direction; also one that was given a name before."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    direction = _MARKERS.get(scope.name_of(called))
    if direction is not None:
        return decorator, direction
    found = scope.resolve(called)
    made = getattr(found.node, "value", None) if isinstance(found, Definition) else None
    if isinstance(found, Definition) and isinstance(made, ast.Call) and called is decorator:
        return mark_of(made, Scope(scope.loader, found.module))
    return None


def is_deprecated(node: ast.ClassDef, scope: Scope) -> bool:
    """Whether a class is marked `@deprecated`."""
    return any(
        isinstance(mark, ast.Call) and scope.name_of(mark.func) in _DEPRECATED
        for mark in node.decorator_list
    )


def decorations(node: Function, scope: Scope) -> Decorations:
    """Read the decorators of a function in a Protocol's body."""
    found = Decorations()
    for decorator in reversed(node.decorator_list):
        found = _add(found, decorator, node, scope)
    return found


def _add(found: Decorations, decorator: ast.expr, node: Function, scope: Scope) -> Decorations:
    match decorator:
        case ast.Attribute(attr="setter" | "getter" | "deleter" as role):
            return replace(found, role=role)
    if mark := mark_of(decorator, scope):
        written, direction = mark
        if isinstance(written, ast.Call) and (written.args or written.keywords):
            raise RefusedMemberError(
                "VCR108",
                f"a mark on a member takes no arguments; got `{ast.unparse(written)}`",
                "remove the parentheses; cassettes use the name of the member",
                written,
            )
        return replace(found, directions=found.directions | {direction})
    name = scope.name_of(decorator.func if isinstance(decorator, ast.Call) else decorator)
    if name in _MANAGERS:
        raise RefusedMemberError(
            "VCR203",
            f"the decorator `{ast.unparse(decorator)}` belongs on an implementation of "
            f"`{scope.classes[-1].name}.{node.name}`",
            f"declare what callers get: `{_MANAGERS[name]}`, without the decorator",
            decorator,
        )
    if name not in _MEANINGS:
        raise RefusedMemberError(
            "VCR203",
            f"vcr-gen does not know what the decorator `{ast.unparse(decorator)}` makes of "
            f"`{scope.classes[-1].name}.{node.name}`",
            "remove the decorator from the Protocol; implementations may still use it",
            decorator,
        )
    if name in _REPEATED:
        repeated = (resolve_names(decorator, scope), *found.repeated)
        return replace(found, repeated=repeated, **_MEANINGS[name])
    return replace(found, **_MEANINGS[name])
