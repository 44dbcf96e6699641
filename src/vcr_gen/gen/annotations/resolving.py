"""Resolves the names in annotations."""

import ast
import builtins
from copy import deepcopy
from dataclasses import replace

from vcr_gen.gen.annotations.referring import reference_to
from vcr_gen.gen.annotations.scopes import Bound, QuotedNode, Scope, is_type_variable, parsed_string
from vcr_gen.gen.model.annotation import Reference, builtin, fold, imported
from vcr_gen.gen.sources.library import Definition, Unread

__all__ = ["bind", "full_name", "unquoted"]


def bind(node: ast.expr, scope: Scope) -> ast.expr:
    """Resolve every name in an annotation; string annotations are opened."""
    return _Binder(scope).visit_type(node)


def full_name(node: ast.expr) -> str:
    """The full name of a resolved expression: `typing.Self`; empty when it is not a name."""
    match node:
        case Bound():
            return node.reference.full_name
        case ast.Attribute(value=value, attr=attr):
            inner = full_name(value)
            return fold(f"{inner}.{attr}") if inner else ""
        case ast.Subscript(value=value):
            return full_name(value)
        case QuotedNode():
            return full_name(node.value)
    return ""


def unquoted(node: ast.expr) -> ast.expr:
    """The expression inside a string annotation, or the expression itself."""
    return unquoted(node.value) if isinstance(node, QuotedNode) else node


class _Binder:
    """Walks one annotation; `type` positions may hold strings, others are plain values."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def visit_type(self, node: ast.expr) -> ast.expr:
        match node:
            case Bound() | QuotedNode():
                return node
            case ast.Constant(value=str() as text):
                parsed = parsed_string(text)
                if parsed is None:
                    return node
                for inner in ast.walk(parsed):  # a diagnostic points to the string
                    ast.copy_location(inner, node)
                quoted = QuotedNode()
                quoted.value = self.visit_type(parsed)
                quoted.original = text
                return quoted
            case ast.Constant():
                return node
            case ast.Name() | ast.Attribute():
                return self.visit_name(node)
            case ast.Subscript(value=value, slice=inner):
                return self._subscript(self.visit_type(value), inner)
            case ast.BinOp(left=left, op=op, right=right):
                return ast.BinOp(self.visit_type(left), op, self.visit_type(right))
            case ast.Tuple(elts=elements):
                return ast.Tuple([self.visit_type(one) for one in elements], ast.Load())
            case ast.List(elts=elements):
                return ast.List([self.visit_type(one) for one in elements], ast.Load())
            case ast.Starred(value=value):
                return ast.Starred(self.visit_type(value), ast.Load())
        return self.visit_value(node)

    def _subscript(self, value: ast.expr, inner: ast.expr) -> ast.expr:
        name = full_name(value)
        if name == "typing.Literal":
            return ast.Subscript(value, self.visit_value(inner), ast.Load())
        if name == "typing.Annotated" and isinstance(inner, ast.Tuple):
            first, *rest = inner.elts
            elements = [self.visit_type(first), *(self.visit_value(one) for one in rest)]
            return ast.Subscript(value, ast.Tuple(elements, ast.Load()), ast.Load())
        return ast.Subscript(value, self.visit_type(inner), ast.Load())

    def visit_value(self, node: ast.expr) -> ast.expr:
        """Resolve the names in a value, such as the metadata of `Annotated`."""
        if isinstance(node, ast.Constant):
            return node
        if isinstance(node, ast.Name | ast.Attribute):
            return self.visit_name(node)
        local = {
            argument.arg
            for inner in ast.walk(node)
            if isinstance(inner, ast.Lambda)
            for argument in ast.walk(inner.args)
            if isinstance(argument, ast.arg)
        } | {
            inner.id
            for inner in ast.walk(node)
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
        }
        return _ValueBinder(self, local).transform(node)

    def visit_name(self, node: ast.expr) -> ast.expr:
        chain: list[str] = []
        root = node
        while isinstance(root, ast.Attribute):
            chain.append(root.attr)
            root = root.value
        if isinstance(root, Bound):
            return node
        if not isinstance(root, ast.Name):
            return self.visit_value(root) if root is node else node
        chain.reverse()
        if root.id == "__builtins__" and chain:  # how to say `list` beside a method of that name
            root = ast.copy_location(ast.Name(chain.pop(0), ast.Load()), root)
            return _dotted(self._builtin(root), chain)
        variable = self._variable(node) if chain else None
        return variable or _dotted(self._root(root, chain), chain)

    def _variable(self, node: ast.expr) -> ast.expr | None:
        """The TypeVar that `module.T` stands for: one is a type parameter under any name."""
        library, found = self.scope.library, self.scope.resolve(node)
        reference = None
        if isinstance(found, Definition) and is_type_variable(library, found.module, found.node):
            reference = reference_to(library, found.module, found.qualname, [])
        elif isinstance(found, Unread) and found.full_name == "typing.AnyStr":
            reference = replace(imported("typing", "AnyStr"), kind="variable")
        return None if reference is None else _bound(reference)

    def _builtin(self, node: ast.Name) -> ast.expr:
        if hasattr(builtins, node.id):
            meaning = builtin(node.id)
            return _bound(replace(meaning, spelling=f"__builtins__.{node.id}"))
        self.scope.unresolved.append((self.scope.module, node))
        return node

    def _root(self, node: ast.Name, chain: list[str]) -> ast.expr:
        scope, name = self.scope, node.id
        if name in scope.parameters:
            return _bound(Reference(name, "parameter", full_name=name))
        if scope.class_binding(name) is not None:
            return self._class_scope(name)
        reference = reference_to(scope.library, scope.module, name, chain)
        if reference is None:
            scope.unresolved.append((scope.module, node))
            return node
        return _bound(reference)

    def _class_scope(self, name: str) -> ast.expr:
        outer, *inner = [*(one.name for one in self.scope.classes), name]
        reference = reference_to(self.scope.library, self.scope.module, outer, inner)
        unsaid = "".join(f".{one}" for one in inner[:-1]) + "."
        return _dotted(
            _bound(replace(reference or Reference(outer, "builtin"), unsaid=unsaid)), inner
        )


class _ValueBinder(ast.NodeTransformer):
    def __init__(self, binder: _Binder, local: set[str]) -> None:
        self.binder = binder
        self.local = local

    def transform(self, node: ast.expr) -> ast.expr:
        # A copy, as the tree belongs to a module that is read once for all.
        found = self.visit(deepcopy(node))
        return found if isinstance(found, ast.expr) else node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return node if node.id in self.local else self.binder.visit_name(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and root.id not in self.local:
            return self.binder.visit_name(node)
        found = self.generic_visit(node)
        return found if isinstance(found, ast.expr) else node


def _dotted(root: ast.expr, chain: list[str]) -> ast.expr:
    for attr in chain:
        root = ast.Attribute(root, attr, ast.Load())
    return root


def _bound(reference: Reference) -> Bound:
    node = Bound(reference.spelling, ast.Load())
    node.reference = reference
    return node
