"""Says what a method without a return annotation returns, as far as its body tells."""

import ast

from vcr_gen.gen.sources.syntax import Function, own_nodes, yields

__all__ = ["returned_by"]


def returned_by(node: Function, receiver: str) -> tuple[ast.expr, set[tuple[str, str]]]:
    """Its type, and what that must import: (module, name). `receiver` is what it calls itself."""
    if yields(node):
        kind = "AsyncIterator" if isinstance(node, ast.AsyncFunctionDef) else "Iterator"
        item, ours = _all_the_same(node, ast.Yield, receiver)
        return ast.Subscript(ast.Name(kind), item), {*ours, ("collections.abc", kind)}
    if _returns_nothing(node):
        return ast.Constant(None), set()
    if not isinstance(node.body[-1], ast.Return):
        return ast.Name("Any"), set()  # there may be a way to its end
    return _all_the_same(node, ast.Return, receiver)


def _all_the_same(
    node: Function, kind: type[ast.Yield | ast.Return], receiver: str
) -> tuple[ast.expr, set[tuple[str, str]]]:
    """`Self` where all that it gives is itself; else anything."""
    given = [one.value for one in own_nodes(node.body) if isinstance(one, kind)]
    others = any(isinstance(one, ast.YieldFrom) for one in own_nodes(node.body))
    if given and not others and all(_is_name(one, receiver) for one in given):
        return ast.Name("Self"), {("typing", "Self")}
    return ast.Name("Any"), set()


def _is_name(value: ast.expr | None, name: str) -> bool:
    return isinstance(value, ast.Name) and value.id == name


def _returns_nothing(node: Function) -> bool:
    if isinstance(node.body[-1], ast.Raise):
        return False  # left to others, who may return something
    return not any(
        isinstance(inner, ast.Return) and inner.value is not None for inner in own_nodes(node.body)
    )
