"""Resolves the names in annotations: a syntax tree becomes an annotation of the model."""

import ast
from copy import deepcopy
from dataclasses import replace

from vcr_gen.gen.model.annotation import (
    Annotation,
    Code,
    Expression,
    List,
    Name,
    Quoted,
    Reference,
    Starred,
    String,
    Subscript,
    Tuple,
    Union,
    full_name,
    imported,
)
from vcr_gen.gen.sources.loader import Definition, Unread
from vcr_gen.gen.types.import_targets import reference_to
from vcr_gen.gen.types.scope import Scope, is_type_variable, parsed_string


def resolve_names(node: ast.expr, scope: Scope) -> Annotation:
    """An annotation with every name in it resolved, also in strings."""
    return _Resolver(scope).resolve(node)


def resolve_value(node: ast.expr, scope: Scope) -> Annotation:
    """A value with every name in it resolved: a default, or the metadata of `Annotated`."""
    return _Resolver(scope).resolve(node, is_type=False)


class _Resolver:
    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def resolve(self, node: ast.expr, *, is_type: bool = True) -> Annotation:
        """A node of the model; a string is a type only where `is_type`."""
        match node:
            case ast.Constant(value=str() | bytes() as text):
                quoted = self._quoted(text, node) if isinstance(text, str) and is_type else None
                return quoted or String(text)
            case ast.Constant():
                return Code(ast.unparse(node))
            case ast.Name() | ast.Attribute() if isinstance(_root(node), ast.Name):
                return self.name(node)
            case ast.Subscript(value=value, slice=inner):
                return self._subscript(self.resolve(value, is_type=is_type), inner, is_type=is_type)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return Union(self._all([left, right], is_type=is_type))
            case ast.Tuple(elts=elements):
                return Tuple(self._all(elements, is_type=is_type))
            case ast.List(elts=elements):
                return List(self._all(elements, is_type=is_type))
            case ast.Starred(value=value):
                return Starred(self.resolve(value, is_type=is_type))
        return self._expression(node)

    def _all(self, nodes: list[ast.expr], *, is_type: bool) -> tuple[Annotation, ...]:
        return tuple(self.resolve(node, is_type=is_type) for node in nodes)

    def _quoted(self, text: str, node: ast.expr) -> Quoted | None:
        parsed = parsed_string(text)
        if parsed is None:
            return None
        for inner in ast.walk(parsed):  # a diagnostic points to the string
            ast.copy_location(inner, node)
        return Quoted(self.resolve(parsed), text)

    def _subscript(self, value: Annotation, inner: ast.expr, *, is_type: bool) -> Subscript:
        name = full_name(value)
        if name == "typing.Annotated" and is_type and isinstance(inner, ast.Tuple):
            first, *rest = inner.elts
            return Subscript(value, Tuple((self.resolve(first), *self._all(rest, is_type=False))))
        is_type = is_type and name != "typing.Literal"
        return Subscript(value, self.resolve(inner, is_type=is_type))

    def _expression(self, node: ast.expr) -> Expression:
        """Any other expression, by `ast.unparse` with marks where names and strings are."""
        finder = _NamesAndStrings(self, node)
        # A copy, as the tree belongs to a module that is read once for all.
        marked = finder.visit(deepcopy(node))
        pieces = ast.unparse(marked).split(_MARK)
        parts = [
            finder.found[int(piece)] if index % 2 else piece for index, piece in enumerate(pieces)
        ]
        return Expression(tuple(part for part in parts if part))

    def name(self, node: ast.expr) -> Annotation:
        """A dotted name."""
        root, chain = _root(node), _chain(node)
        assert isinstance(root, ast.Name)
        if chain and (variable := self._variable(node)):
            return variable
        if root.id in self.scope.parameters:
            return Name(Reference(root.id, "parameter", full_name=root.id), tuple(chain))
        if self.scope.class_binding(root.id) is not None:
            return self._inner_class(root.id, chain)
        found = reference_to(self.scope.loader, self.scope.module, root.id, chain)
        if found is None:
            self.scope.unresolved.append((self.scope.module, root))
            return Code(".".join([root.id, *chain]))
        return Name(found, tuple(chain))

    def _variable(self, node: ast.expr) -> Name | None:
        """The TypeVar that `module.T` stands for; it is a type parameter under any name."""
        loader, found = self.scope.loader, self.scope.resolve(node)
        reference = None
        if isinstance(found, Definition) and is_type_variable(loader, found.module, found.node):
            reference = reference_to(loader, found.module, found.qualname, [])
        elif isinstance(found, Unread) and found.full_name == "typing.AnyStr":
            reference = replace(imported("typing", "AnyStr"), kind="variable")
        return None if reference is None else Name(reference)

    def _inner_class(self, name: str, chain: list[str]) -> Name:
        outer, *inner = [*(around.name for around in self.scope.classes), name]
        reference = reference_to(self.scope.loader, self.scope.module, outer, inner)
        return Name(reference or Reference(outer, "builtin"), (*inner, *chain))


_MARK = "\ue000"
"""A letter that no name has."""


class _NamesAndStrings(ast.NodeTransformer):
    """Takes names and strings out of an expression, whose own variables stay."""

    def __init__(self, resolver: _Resolver, expression: ast.expr) -> None:
        self.resolver = resolver
        self.found: list[Annotation] = []
        self.own: set[str] = set()
        for node in ast.walk(expression):
            if isinstance(node, ast.arg):
                self.own.add(node.arg)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.own.add(node.id)

    def visit(self, node: ast.AST) -> ast.AST:
        match node:
            case ast.JoinedStr():
                return node
            case ast.Constant(value=str() | bytes() as value):
                return self._marked(String(value))
            case ast.Name() | ast.Attribute():
                root = _root(node)
                if isinstance(root, ast.Name) and root.id not in self.own:
                    return self._marked(self.resolver.name(node))
        return self.generic_visit(node)

    def _marked(self, found: Annotation) -> ast.Name:
        self.found.append(found)
        return ast.Name(f"{_MARK}{len(self.found) - 1}{_MARK}", ast.Load())


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def _chain(node: ast.expr) -> list[str]:
    """The names after the first dot."""
    return [*_chain(node.value), node.attr] if isinstance(node, ast.Attribute) else []
