"""Reads the decorators of a Protocol's members."""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from vcr_gen.gen.model.annotation import Annotation
from vcr_gen.gen.model.boundaries import Managed
from vcr_gen.gen.settings.config import Direction
from vcr_gen.gen.sources.loader import Definition, Unread
from vcr_gen.gen.sources.modules import class_bindings
from vcr_gen.gen.sources.syntax import Function
from vcr_gen.gen.types.resolve import resolve_names
from vcr_gen.gen.types.scope import Scope

__all__ = ["Decorations", "decorations", "is_deprecated", "mark_of"]

_MARKERS: Final = "vcr_gen.boundary."
_DROPPED: Final = frozenset(
    {
        "abc.abstractmethod",
        "typing.override",
        "typing.runtime_checkable",
    }
)
_KEPT: Final = frozenset({"typing.final"})
_UNCHECKED: Final = frozenset({"typing.type_check_only", "typing.no_type_check"})
_DEPRECATED: Final = frozenset({"warnings.deprecated", "typing.deprecated"})
_PROPERTIES: Final = frozenset(
    {"builtins.property", "abc.abstractproperty", "types.DynamicClassAttribute", "enum.property"}
)
_MANAGERS: Final[Mapping[str, Managed]] = {
    "contextlib.contextmanager": "with",
    "contextlib.asynccontextmanager": "async with",
}
_CLASS_METHODS: Final = frozenset({"builtins.classmethod", "abc.abstractclassmethod"})
_STATIC_METHODS: Final = frozenset({"builtins.staticmethod", "abc.abstractstaticmethod"})


@dataclass(frozen=True, slots=True)
class Decorations:
    """What the decorators of one function say."""

    overload: bool = False
    binding: Literal["instance", "class", "static"] = "instance"
    role: Literal["method", "property", "cached", "setter", "getter", "deleter"] = "method"
    managed: Managed | None = None
    deprecated: bool = False
    unchecked: bool = False
    """Whether type checkers forbid its use, or do not know its types."""
    kept: tuple[Annotation, ...] = ()
    """Decorators that the wrapper repeats."""
    directions: frozenset[Direction] = frozenset()
    named: ast.Call | None = None
    """A mark with arguments: on a member, it takes none."""
    recorded: bool = True
    foreign: ast.expr | None = None
    """A decorator whose result the source does not tell."""


def _direction_of(name: str) -> Direction | None:
    """The direction that a marker gives, by the marker's full name."""
    if name == f"{_MARKERS}outbound":
        return "outbound"
    return "inbound" if name == f"{_MARKERS}inbound" else None


def mark_of(decorator: ast.expr, scope: Scope) -> tuple[ast.expr, Direction] | None:
    """The mark that a decorator is, and its direction; also one that was given a name before."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    direction = _direction_of(scope.name_of(called))
    if direction is not None:
        return decorator, direction
    found = scope.resolve(called)
    made = getattr(found.node, "value", None) if isinstance(found, Definition) else None
    if isinstance(found, Definition) and isinstance(made, ast.Call) and called is decorator:
        return mark_of(made, Scope(scope.loader, found.module))
    return None


def is_deprecated(node: ast.ClassDef, scope: Scope) -> bool:
    """Whether a class is marked `@deprecated`."""
    called = [mark.func for mark in node.decorator_list if isinstance(mark, ast.Call)]
    return bool(_names_of(called, scope) & _DEPRECATED)


def decorations(node: Function, scope: Scope) -> Decorations:
    """Read the decorators of a function in a Protocol's body."""
    found = Decorations(binding=_implicit_binding(node.name))
    for decorator in reversed(node.decorator_list):
        found = _add(found, decorator, scope)
    return found


def _implicit_binding(name: str) -> Literal["instance", "class", "static"]:
    if name == "__new__":
        return "static"
    return "class" if name in {"__init_subclass__", "__class_getitem__"} else "instance"


def _add(found: Decorations, decorator: ast.expr, scope: Scope) -> Decorations:
    accessor = decorator.attr if isinstance(decorator, ast.Attribute) else ""
    if accessor in {"setter", "getter", "deleter"}:
        role: dict[str, Literal["setter", "getter", "deleter"]] = {
            "setter": "setter",
            "getter": "getter",
            "deleter": "deleter",
        }
        return replace(found, role=role[accessor])
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = scope.name_of(called)
    if name == "typing.overload":
        return replace(found, overload=True)
    if name in _CLASS_METHODS:
        return replace(found, binding="class")
    if name in _STATIC_METHODS:
        return replace(found, binding="static")
    if name in _PROPERTIES:
        return replace(found, role="property")
    if name == "functools.cached_property":
        return replace(found, role="cached")
    if name == f"{_MARKERS}unrecorded":
        return replace(found, recorded=False)
    if mark := mark_of(decorator, scope):
        node, direction = mark
        is_given = isinstance(node, ast.Call) and (node.args or node.keywords)
        named = node if isinstance(node, ast.Call) and is_given else found.named
        return replace(found, directions=found.directions | {direction}, named=named)
    if name in _UNCHECKED:
        return replace(found, unchecked=True)
    if name in _DROPPED:
        return found
    if _is_of_the_body(called, scope):
        return replace(found, foreign=decorator)
    text = resolve_names(decorator, scope)
    if name in _MANAGERS:
        return replace(found, managed=_MANAGERS[name], kept=(text, *found.kept))
    if name in _DEPRECATED:
        return replace(found, deprecated=True, kept=(text, *found.kept))
    if name in _KEPT:
        return replace(found, kept=(text, *found.kept))
    if _is_foreign(decorator, scope):
        return replace(found, foreign=decorator)
    return _as_property(found, decorator, scope)


def _is_of_the_body(called: ast.expr, scope: Scope) -> bool:
    """Whether a decorator belongs to a member of the class itself: `@registry.add`."""
    root = called
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name) or scope.resolve(root) is not None:
        return False
    return any(
        binding.name == root.id for binding in class_bindings(scope.module, scope.classes[-1])
    )


def _is_foreign(decorator: ast.expr, scope: Scope) -> bool:
    """Whether an unknown decorator returns something other than the function."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    definition = scope.resolve(called)
    if isinstance(definition, Unread):
        return definition.full_name.startswith(("functools.", "builtins."))
    if definition is None:
        return False
    if isinstance(definition.node, ast.ClassDef):
        return not _makes_property(definition, scope)
    inner = Scope(scope.loader, definition.module)
    called_with = isinstance(decorator, ast.Call)
    return isinstance(definition.node, ast.FunctionDef) and any(
        _changes(way, inner, called=called_with) for way in _ways_to_call(definition, inner)
    )


def _makes_property(definition: Definition, scope: Scope) -> bool:
    inner = Scope(scope.loader, definition.module)
    return bool(_names_of(getattr(definition.node, "bases", ()), inner) & _PROPERTIES)


def _as_property(found: Decorations, decorator: ast.expr, scope: Scope) -> Decorations:
    """What a class that inherits from `property` makes of a function; others leave it as it is."""
    definition = scope.resolve(decorator.func if isinstance(decorator, ast.Call) else decorator)
    is_class = isinstance(definition, Definition) and isinstance(definition.node, ast.ClassDef)
    return replace(found, role="property") if is_class else found


def _names_of(nodes: Iterable[ast.expr], scope: Scope) -> set[str]:
    return {scope.name_of(node) for node in nodes}


def _ways_to_call(definition: Definition, scope: Scope) -> list[ast.FunctionDef]:
    """The overloads of a function, or the function itself."""
    bindings = definition.module.bindings.get(definition.qualname, ())
    found = [binding.node for binding in bindings if isinstance(binding.node, ast.FunctionDef)]
    overloads = [
        node for node in found if "typing.overload" in _names_of(node.decorator_list, scope)
    ]
    return overloads or found[:1]


def _changes(node: ast.FunctionDef, scope: Scope, *, called: bool) -> bool:
    """Whether a decorator's own annotations say that it returns something else."""
    if node.returns is None:
        return False
    arguments = [*node.args.posonlyargs, *node.args.args]
    returned = ast.unparse(node.returns)
    if called:
        match node.returns:
            case ast.Subscript(slice=ast.Tuple(elts=[ast.List(elts=[taken]), given])):
                return ast.unparse(taken) != ast.unparse(given)
        return False
    taken_by = ast.unparse(arguments[0].annotation) if arguments and arguments[0].annotation else ""
    if taken_by == "None":  # the way to call it with options alone
        return False
    return bool(taken_by) and taken_by != returned and scope.name_of(node.returns) != "typing.Any"
