"""Gives generic classes in an annotation the arguments that strict checkers ask for."""

import ast
import builtins
from collections.abc import Mapping
from typing import Final

from vcr_gen.gen.extract.own_name import last_word
from vcr_gen.gen.extract.variables import Variable, class_variables, read
from vcr_gen.gen.types.scope import Scope, parsed_string

__all__ = ["any_arguments", "completed"]

_SPECIAL: Final = {
    "typing.Callable": "[..., Any]",
    "builtins.tuple": "[Any, ...]",
    "typing.Tuple": "[Any, ...]",
    "typing.Dict": "[Any, Any]",
    "typing.List": "[Any]",
    "typing.Set": "[Any]",
    "typing.FrozenSet": "[Any]",
    "typing.DefaultDict": "[Any, Any]",
    "typing.OrderedDict": "[Any, Any]",
    "typing.Deque": "[Any]",
}


def completed(annotation: ast.expr, scope: Scope) -> ast.expr:
    """The annotation with `Any` wherever it says nothing: `dict[Any, Any]` for `dict`."""
    result: ast.expr = _Completing(scope).visit(annotation)
    return result


class _Completing(ast.NodeTransformer):
    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.changed = False

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if last_word(node.value) != "Literal":
            node.slice = self.visit(node.slice)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        inner = parsed_string(node.value) if isinstance(node.value, str) else None
        if inner is None:
            return node
        before, self.changed = self.changed, False
        visited = self.visit(inner)
        result = ast.Constant(ast.unparse(visited)) if self.changed else node
        self.changed = self.changed or before
        return result

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return self._with_arguments(node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._with_arguments(node)

    def _with_arguments(self, node: ast.Name | ast.Attribute) -> ast.expr:
        name = self.scope.name_of(node)
        arguments = _SPECIAL.get(name)
        if arguments is None:
            if name.startswith("builtins.") and _is_no_type(name):
                self.changed = True
                return ast.Name("Any")  # `any`, said for `Any`
            arguments = self._own_arguments(node)
        if not arguments:
            return node
        self.changed = True
        return ast.parse(f"{ast.unparse(node)}{arguments}", mode="eval").body

    def _own_arguments(self, node: ast.expr) -> str:
        found = read(self.scope.library, self.scope.resolve(node))
        if found is None or not isinstance(found.node, ast.ClassDef):
            return ""
        variables = class_variables(self.scope.library, found.module, found.node)
        if any(one.defaulted for one in variables.values()):
            return ""
        return any_arguments(variables)


def any_arguments(variables: Mapping[str, Variable]) -> str:
    """`[Any, Any]` for a class with two type variables."""
    kinds = {"ParamSpec": "...", "TypeVarTuple": "*tuple[Any, ...]"}
    arguments = [kinds.get(one.kind, "Any") for one in variables.values()]
    return f"[{', '.join(arguments)}]" if arguments else ""


def _is_no_type(name: str) -> bool:
    value = getattr(builtins, name.removeprefix("builtins."), int)
    return value is not None and not isinstance(value, type)
