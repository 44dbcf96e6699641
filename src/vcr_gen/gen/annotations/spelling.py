"""Writes resolved annotations as text with holes, in black's spelling."""

import ast
from collections.abc import Iterator
from copy import deepcopy

from vcr_gen.gen.annotations.scopes import Bound, QuotedNode
from vcr_gen.gen.model.annotation import Annotation, Part, Quoted, string_literal

__all__ = ["spell"]


def spell(node: ast.expr) -> Annotation:
    """A resolved expression as text, in black's spelling."""
    return _merged(_spelled(node))


def _merged(parts: Iterator[Part]) -> Annotation:
    merged: list[Part] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        else:
            merged.append(part)
    return tuple(merged)


def _spelled(node: ast.expr) -> Iterator[Part]:
    match node:
        case Bound():
            yield node.reference
        case QuotedNode():
            yield Quoted(spell(node.value), node.original)
        case ast.Name(id=name):
            yield name
        case ast.Attribute(
            value=ast.Name() | ast.Attribute() | ast.Subscript() as value, attr=attr
        ):
            yield from _spelled(value)
            yield f".{attr}"
        case ast.Subscript(value=value, slice=ast.Tuple(elts=[_, *_] as elements)):
            yield from _spelled(value)
            yield "["
            yield from _joined(elements)
            yield ",]" if len(elements) == 1 else "]"
        case ast.Subscript(value=value, slice=inner):
            yield from _spelled(value)
            yield "["
            yield from _spelled(inner)
            yield "]"
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from _spelled(left)
            yield " | "
            yield from _spelled(right)
        case ast.List(elts=elements):
            yield "["
            yield from _joined(elements)
            yield "]"
        case ast.Tuple(elts=elements):
            yield "("
            yield from _joined(elements)
            yield ",)" if len(elements) == 1 else ")"
        case ast.Starred(value=value):
            yield "*"
            yield from _spelled(value)
        case ast.Constant(value=str() | bytes() as value):
            yield string_literal(value)
        case ast.Constant(value=None | bool() | int() as value):
            yield repr(value)
        case ast.Constant(value=value) if value is ...:
            yield "..."
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)):
            yield f"-{number}"
        case _:
            yield from _unparsed(node)


def _joined(elements: list[ast.expr]) -> Iterator[Part]:
    for index, element in enumerate(elements):
        if index:
            yield ", "
        yield from _spelled(element)


def _unparsed(node: ast.expr) -> Iterator[Part]:
    """Rare expressions, by `ast.unparse` with stand-ins for what has its own spelling."""
    finder = _Holes()
    stripped = finder.visit(deepcopy(node))  # the tree belongs to whoever reads it next
    if isinstance(stripped, ast.Name):  # the whole expression became a hole
        yield from _spelled(node)
        return
    for index, piece in enumerate(ast.unparse(stripped).split("\ue000")):
        if index % 2:
            yield from _spelled(finder.holes[int(piece)])
        elif piece:
            yield piece


class _Holes(ast.NodeTransformer):
    """Takes out of an expression what `ast.unparse` would spell otherwise."""

    def __init__(self) -> None:
        self.holes: list[ast.expr] = []

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.JoinedStr):
            return node
        text = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
        if isinstance(node, ast.expr) and (text or isinstance(node, Bound | QuotedNode)):
            self.holes.append(node)
            return ast.Name(f"\ue000{len(self.holes) - 1}\ue000", ast.Load())
        return self.generic_visit(node)
