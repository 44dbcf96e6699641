"""Turns source text into the tree that the reading half works on."""

import ast
import io
import tokenize
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeGuard

from vcr_gen.gen.sources.type_parameters import (
    Place,
    TypeParameter,
    native_parameters,
    parse_masked,
)

__all__ = [
    "Function",
    "Parsed",
    "all_parameters",
    "annotations_of",
    "blocks",
    "decode",
    "docstring_of",
    "is_function",
    "own_nodes",
    "parse",
    "yields",
]

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Parsed:
    """One source file as a tree."""

    tree: ast.Module
    text: str
    """What `ast` has parsed."""
    masked: Mapping[Place, tuple[TypeParameter, ...]] = field(default_factory=dict)
    """Type parameters that the running Python cannot parse; the text has spaces instead."""

    def without_tree(self) -> "Parsed":
        """The type parameters, without statements and text."""
        return Parsed(ast.Module([], []), "", self.masked)

    def type_parameters(self, node: ast.stmt) -> tuple[TypeParameter, ...]:
        """The type parameters of `class A[...]`, `def f[...]` or `type X[...]`."""
        return native_parameters(node) or self.masked.get((node.lineno, node.col_offset), ())

    def is_type_statement(self, node: ast.stmt) -> bool:
        """Whether this is `type X = ...`, which makes a lazy alias."""
        place = (node.lineno, node.col_offset)
        return type(node).__name__ == "TypeAlias" or (
            isinstance(node, ast.Assign) and place in self.masked
        )


def decode(data: bytes) -> str:
    """The text of a source file, decoded by its encoding declaration, with `\\n` line ends."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    text = data.decode(encoding)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def parse(data: bytes) -> Parsed:
    """Parse a source file; raises `SyntaxError` when that is not possible."""
    try:
        text = decode(data)
    except (UnicodeDecodeError, LookupError) as error:
        raise SyntaxError(f"the file cannot be decoded: {error}") from error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escapes in the user's strings
        try:
            return Parsed(ast.parse(text), text)
        except SyntaxError:
            masked = parse_masked(text)
            if masked is None:
                raise
            return Parsed(masked.tree, masked.text, masked.parameters)
        except (ValueError, RecursionError, MemoryError) as error:
            raise SyntaxError(str(error) or "it is nested too deeply") from error


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


def yields(node: Function) -> bool:
    """Whether the body makes the function a generator."""
    return any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in own_nodes(node.body))


def own_nodes(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """The nodes of a body, without those of functions and classes defined in it."""
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
