"""Resolves names by their place in a module."""

import ast
import builtins
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from vcr_gen.gen.model.annotation import Annotation, Name, Subscript, TypeParameterKind
from vcr_gen.gen.sources.loader import Definition, SourceLoader, Unread, is_standard
from vcr_gen.gen.sources.modules import Binding, Module
from vcr_gen.gen.sources.type_parameters import TypeParameter

_BUILTINS: Final = frozenset(dir(builtins))
TYPE_VARIABLES: Final[Mapping[str, TypeParameterKind]] = {
    "typing.TypeVar": "TypeVar",
    "typing.ParamSpec": "ParamSpec",
    "typing.TypeVarTuple": "TypeVarTuple",
}


@dataclass(frozen=True)
class Scope:
    """The place of an expression, which decides what its names mean."""

    loader: SourceLoader
    module: Module
    classes: tuple[ast.ClassDef, ...] = ()
    """The classes around it, outermost first."""
    parameters: Mapping[str, TypeParameter] = field(default_factory=dict)
    """PEP 695 type parameters in scope."""
    unresolved: list[tuple[Module, ast.Name]] = field(default_factory=list)
    """Unknown names, for a diagnostic."""

    def with_parameters(self, parameters: tuple[TypeParameter, ...]) -> "Scope":
        """The scope inside a function or class with its own type parameters."""
        known = {**self.parameters, **{parameter.name: parameter for parameter in parameters}}
        return Scope(self.loader, self.module, self.classes, known, self.unresolved)

    def resolve(self, node: ast.expr | Annotation) -> Definition | Unread | None:
        """What a dotted name stands for."""
        match node:
            case Name():
                return definition_of(self.loader, node)
            case ast.Name(id=name):
                return self._resolve_name(name)
            case ast.Attribute(value=value, attr=attr):
                found = self.resolve(value)
                return None if found is None else self.loader.member(found, attr)
            case ast.Subscript(value=value) | Subscript(value=value):
                return self.resolve(value)
            case ast.Constant(value=str() as text):
                parsed = parsed_string(text)
                return None if parsed is None else self.resolve(parsed)
        return None

    def _resolve_name(self, name: str) -> Definition | Unread | None:
        if name in self.parameters:
            return Unread("", name)
        local = self.class_binding(name)
        if local is not None:
            qualname = ".".join([*(around.name for around in self.classes), name])
            return Definition(self.module, qualname, local.node, local.when)
        found = self.loader.follow(self.module, name)
        if found is None and name in _BUILTINS:
            return Unread("builtins", name)
        return found

    def class_binding(self, name: str) -> Binding | None:
        """A name that the innermost class binds to a class or an alias."""
        return self.module.class_types(self.classes[-1]).get(name) if self.classes else None

    def name_of(self, node: ast.expr | Annotation) -> str:
        """The full name of what an expression stands for; aliases of one name are followed."""
        scope = self
        for _ in range(10):  # `A = B` and `B = A` go round
            found = scope.resolve(node)
            if found is None:
                return ""
            if not isinstance(found, Definition):
                return found.full_name
            scope = Scope(self.loader, found.module)
            alias = _simple_alias(found.node, scope)
            if alias is None:
                return found.full_name
            node = alias
        return ""


def definition_of(loader: SourceLoader, name: Name) -> Definition | Unread | None:
    """What a resolved name stands for."""
    reference = name.reference
    read = not is_standard(reference.module) or loader.project_has(reference.module)
    module = loader.module(reference.module) if read and reference.attribute else None
    found: Definition | Unread | None
    if reference.kind == "builtin":
        found = Unread("builtins", reference.spelling)
    elif module is None:
        found = Unread(reference.top_level or reference.module, reference.attribute)
    else:
        found = loader.follow(module, reference.attribute)
    for part in name.tail:
        found = None if found is None else loader.member(found, part)
    return found


def _simple_alias(node: ast.stmt, scope: Scope) -> ast.expr | None:
    """The right side of `X = Y`, `X = module.Y` and `X: TypeAlias = Y`."""
    match node:
        case ast.AnnAssign(annotation=annotation):
            if scope.name_of(annotation) != "typing.TypeAlias":
                return None
        case ast.Assign():
            pass
        case _ if type(node).__name__ != "TypeAlias":  # of Python 3.12, and so not in every `ast`
            return None
    alias = getattr(node, "value", None)
    value = alias
    while isinstance(value, ast.Attribute):
        value = value.value
    return alias if isinstance(value, ast.Name) else None


def parsed_string(text: str) -> ast.expr | None:
    """The expression in a string annotation; None when it is not an expression."""
    lines = f"({text})" if "\n" in text else text.strip()  # type checkers read on as in brackets
    try:
        return ast.parse(lines, mode="eval").body
    except (SyntaxError, ValueError):
        return None


def is_type_variable(loader: SourceLoader, module: Module, node: ast.stmt) -> bool:
    """Whether a statement declares a TypeVar, ParamSpec or TypeVarTuple."""
    match node:
        case ast.Assign(value=ast.Call(func=func)) | ast.AnnAssign(value=ast.Call(func=func)):
            return Scope(loader, module).name_of(func) in TYPE_VARIABLES
    return False
