"""Fills type arguments in: what each type parameter of a class stands for, and where it stands."""

import ast
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import TypeAlias

from vcr_gen.gen.annotations.resolving import full_name
from vcr_gen.gen.annotations.scopes import Bound, QuotedNode
from vcr_gen.gen.model.annotation import builtin, imported

__all__ = ["OwnParameter", "assigned", "fill", "without_quotes"]

OwnParameter: TypeAlias = tuple[str, str, ast.expr | None]
"""Name, kind and default of a type parameter."""


def assigned(
    names: Sequence[OwnParameter], given: Sequence[ast.expr] | None
) -> dict[str, ast.expr]:
    """Which argument each type parameter gets: its default, or `Any`, where none is given.

    Nothing is given where there are no brackets; `Base[()]` gives its TypeVarTuple no types.
    """
    rest = list(given or ())
    if len(names) == 1 and names[0][1] == "ParamSpec" and rest and not _is_parameter_list(rest):
        return {names[0][0]: ast.List(rest, ast.Load())}
    found: dict[str, ast.expr] = {}
    for index, (name, kind, default) in enumerate(names):
        if kind == "TypeVarTuple" and given is not None:
            taken = rest[: len(rest) - _wanted_after(names[index + 1 :], rest)]
            found[name] = ast.Tuple([one for each in taken for one in _spread(each)], ast.Load())
            rest = rest[len(taken) :]
        elif rest:
            found[name] = rest.pop(0)
        elif default is None:
            found[name] = _default(kind)
        else:  # which may speak of the parameters before it
            filled = fill(default, found)
            several = kind == "TypeVarTuple" and not isinstance(filled, ast.Tuple)
            found[name] = ast.Tuple([filled], ast.Load()) if several else filled
    return found


def _is_parameter_list(given: list[ast.expr]) -> bool:
    """Whether `X[...]`'s one argument already stands for a whole parameter list."""
    return len(given) == 1 and _may_be_parameters(given[0])


def _may_be_parameters(node: ast.expr) -> bool:
    """Whether an argument can be what a ParamSpec stands for; a variable may be another one."""
    is_ellipsis = isinstance(node, ast.Constant) and node.value is ...
    variable = isinstance(node, Bound) and node.reference.kind in {"variable", "parameter"}
    concatenate = full_name(node) == "typing.Concatenate"
    return isinstance(node, ast.List) or is_ellipsis or variable or concatenate


def _wanted_after(names: Sequence[OwnParameter], given: Sequence[ast.expr]) -> int:
    """How many of the arguments the parameters after a TypeVarTuple take.

    A ParamSpec with a default is left to it where the last argument can be no list of parameters.
    """
    defaults = bool(names) and names[-1][1] == "ParamSpec" and names[-1][2] is not None
    left = defaults and not (given and _may_be_parameters(given[-1]))
    return len(names) - left


def _spread(node: ast.expr) -> list[ast.expr]:
    """What an argument of a TypeVarTuple stands for: several types, or a `*` with what it repeats.

    `Unpack[...]` is said with a `*`, and `*tuple[int, str]` is the same as `int, str`.
    """
    match node:
        case ast.Subscript(value=value, slice=inner) if full_name(value) == "typing.Unpack":
            return _spread(ast.Starred(inner, ast.Load()))
        case ast.Starred(value=ast.Subscript(value=value, slice=inner)):
            elements = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            repeats = any(isinstance(one, ast.Constant) and one.value is ... for one in elements)
            if full_name(value) in {"builtins.tuple", "typing.Tuple"} and not repeats:
                return [one for each in elements for one in _spread(each)]
    return [node]


def _default(kind: str) -> ast.expr:
    if kind == "ParamSpec":
        return ast.Constant(...)
    any_node = Bound("Any", ast.Load())
    any_node.reference = imported("typing", "Any")
    if kind == "TypeVarTuple":
        whole = _packed(ast.Tuple([any_node, ast.Constant(...)], ast.Load()))
        return ast.Tuple([ast.Starred(whole, ast.Load())], ast.Load())
    return any_node


def fill(node: ast.expr, arguments: Mapping[str, ast.expr]) -> ast.expr:
    """Replace type parameters by what they stand for."""
    return _Filler(arguments).fill(node) if arguments else node


class _Filler:
    def __init__(self, arguments: Mapping[str, ast.expr]) -> None:
        self.arguments = arguments

    def fill(self, node: ast.expr) -> ast.expr:
        match node:
            case Bound():
                is_variable = node.reference.kind in {"variable", "parameter"}
                return self.arguments.get(node.id, node) if is_variable else node
            case QuotedNode():
                inner = self.fill(node.value)
                if inner is node.value:
                    return node
                quoted = QuotedNode()
                quoted.value, quoted.original = without_quotes(inner), ""
                return quoted
            case ast.Subscript(value=value, slice=inner):
                return self._subscript(self.fill(value), inner)
            case ast.BinOp(left=left, op=op, right=right):
                return ast.BinOp(self.fill(left), op, self.fill(right))
            case ast.Tuple(elts=elements):
                return ast.Tuple(self._elements(elements), ast.Load())
            case ast.List(elts=elements):
                return ast.List(self._elements(elements), ast.Load())
            case ast.Starred(value=value):
                return ast.Starred(_packed(self.fill(value)), ast.Load())
            case ast.Attribute(value=value, attr=attr):
                return ast.Attribute(self.fill(value), attr, ast.Load())
        return node

    def _subscript(self, value: ast.expr, inner: ast.expr) -> ast.expr:
        name = full_name(value)
        if name == "typing.Annotated" and isinstance(inner, ast.Tuple):
            first, *rest = inner.elts
            return ast.Subscript(
                value, ast.Tuple([self.fill(first), *rest], ast.Load()), ast.Load()
            )
        if name == "typing.Concatenate":
            elements = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            *front, last = self._elements(elements)
            if isinstance(last, ast.List):
                return ast.List([*front, *last.elts], ast.Load())
            if isinstance(last, ast.Subscript) and full_name(last) == "typing.Concatenate":
                tail = last.slice.elts if isinstance(last.slice, ast.Tuple) else [last.slice]
                return ast.Subscript(value, ast.Tuple([*front, *tail], ast.Load()), ast.Load())
            return ast.Subscript(value, ast.Tuple([*front, last], ast.Load()), ast.Load())
        if name == "typing.Unpack":
            return ast.Subscript(value, _packed(self.fill(inner)), ast.Load())
        if not isinstance(inner, ast.Tuple):
            spread = self._elements([inner])
            filled = spread[0] if len(spread) == 1 else ast.Tuple(spread, ast.Load())
            return ast.Subscript(value, filled, ast.Load())
        return ast.Subscript(value, self.fill(inner), ast.Load())

    def _elements(self, elements: Sequence[ast.expr]) -> list[ast.expr]:
        """The elements filled in; `*Ts` and `Unpack[Ts]` spread over several."""
        found: list[ast.expr] = []
        for element in elements:
            pack = _pack(element)
            argument = self.arguments.get(pack) if pack else None
            if isinstance(argument, ast.Tuple):
                found.extend(argument.elts)
            else:
                found.append(self.fill(element))
        return found


def without_quotes(node: ast.expr) -> ast.expr:
    """The annotation with every string in it opened."""
    opened = _Opener().visit(deepcopy(node))
    assert isinstance(opened, ast.expr)
    return opened


class _Opener(ast.NodeTransformer):
    def visit_QuotedNode(self, node: QuotedNode) -> ast.AST:
        found = self.visit(node.value)
        assert isinstance(found, ast.AST)
        return found


def _packed(node: ast.expr) -> ast.expr:
    """`tuple[int, str]`, where a TypeVarTuple stands for several types that nothing spreads."""
    if not isinstance(node, ast.Tuple):
        return node
    if len(node.elts) == 1 and isinstance(node.elts[0], ast.Starred):
        return node.elts[0].value  # `tuple[*tuple[int, ...]]` is `tuple[int, ...]`
    whole = Bound("tuple", ast.Load())
    whole.reference = builtin("tuple")
    return ast.Subscript(whole, node, ast.Load())


def _pack(node: ast.expr) -> str:
    """The name of the TypeVarTuple in `*Ts` and `Unpack[Ts]`."""
    match node:
        case ast.Starred(value=Bound() as inner):
            return inner.id
        case ast.Subscript(slice=Bound() as inner) if full_name(node.value) == "typing.Unpack":
            return inner.id
    return ""
