"""The syntax tree that the reading half works on: `ast`, plus what older Pythons cannot hold."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeGuard

from vcr_gen.gen.model.kinds import TypeParameterKind

__all__ = [
    "Function",
    "Parsed",
    "TypeParameter",
    "all_parameters",
    "annotations_of",
    "blocks",
    "cut_bodies",
    "docstring_of",
    "is_function",
    "own_nodes",
    "yields",
]

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class TypeParameter:
    """One `T`, `*Ts` or `**P` between the brackets of PEP 695 syntax."""

    name: str
    kind: TypeParameterKind
    bound: ast.expr | None = None
    """The bound, or a tuple of constraints."""
    default: ast.expr | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """One source file as a tree."""

    tree: ast.Module
    text: str
    """What `ast` has read: type parameters that it cannot parse are masked."""
    masked: Mapping[tuple[int, int], tuple[TypeParameter, ...]] = field(default_factory=dict)
    """Type parameters that the running Python cannot parse, by the place of their statement."""

    def without_tree(self) -> "Parsed":
        """What is still needed when the statements are not."""
        return Parsed(ast.Module([], []), "", self.masked)

    def type_parameters(self, node: ast.stmt) -> tuple[TypeParameter, ...]:
        """What stands between the brackets of `class A[...]`, `def f[...]` or `type X[...]`."""
        native = getattr(node, "type_params", None)
        if native:
            return tuple(_native(parameter) for parameter in native)
        return self.masked.get((node.lineno, node.col_offset), ())

    def is_type_statement(self, node: ast.stmt) -> bool:
        """Whether this is `type X = ...`, which makes a lazy alias."""
        place = (node.lineno, node.col_offset)
        return type(node).__name__ == "TypeAlias" or (
            isinstance(node, ast.Assign) and place in self.masked
        )


def _native(parameter: ast.AST) -> TypeParameter:
    """Convert `ast.TypeVar` and its kin, which Python 3.11's `ast` does not name."""
    kind = type(parameter).__name__
    fields = dict(ast.iter_fields(parameter))
    kinds: dict[str, TypeParameterKind] = {
        "TypeVar": "TypeVar",
        "ParamSpec": "ParamSpec",
        "TypeVarTuple": "TypeVarTuple",
    }
    return TypeParameter(
        fields["name"], kinds[kind], fields.get("bound"), fields.get("default_value")
    )


def is_function(node: ast.AST) -> TypeGuard[Function]:
    """Whether a statement defines a function, `async` or not."""
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of a statement that has some: `if`, `try`, `with`, `for`, `while`, `match`."""
    for part in ("body", "orelse", "finalbody"):
        yield getattr(node, part, [])
    for inner in (*getattr(node, "handlers", []), *getattr(node, "cases", [])):
        yield inner.body


def docstring_of(node: ast.Module | ast.ClassDef | Function) -> str | None:
    """The docstring with its indentation removed."""
    return ast.get_docstring(node, clean=True)


def cut_bodies(node: ast.stmt) -> None:
    """Remove the bodies of functions, but for a docstring and what makes a generator."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        kept = node.body[:1] if ast.get_docstring(node, clean=False) is not None else []
        last = ast.Expr(ast.copy_location(ast.Yield(), node)) if yields(node) else ast.Pass()
        node.body = [*kept, ast.copy_location(last, node)]
    elif isinstance(node, ast.ClassDef | ast.If | ast.Try | ast.With):
        for block in blocks(node):
            for inner in block:
                cut_bodies(inner)


def yields(node: Function) -> bool:
    """Whether the body makes the function a generator."""
    return any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in own_nodes(node.body))


def own_nodes(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """The nodes of a body, not those of functions and classes defined in it."""
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if is_function(node) or isinstance(node, ast.ClassDef | ast.Lambda):
            continue
        yield node
        pending.extend(ast.iter_child_nodes(node))


def all_parameters(arguments: ast.arguments) -> list[ast.arg]:
    """The parameters of a function, `*args` and `**kwargs` included."""
    named = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return [*named, *filter(None, (arguments.vararg, arguments.kwarg))]


def annotations_of(node: Function) -> Iterator[ast.expr]:
    """The annotations of a function's parameters and result."""
    parameters = (parameter.annotation for parameter in all_parameters(node.args))
    return filter(None, (*parameters, node.returns))
