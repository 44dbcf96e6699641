"""Turns source text into trees; those of files outside the project are parsed on demand."""

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


class Statement:
    """One statement of a module: its node, or where to find it in the text.

    A run looks into far more modules than it wraps and asks for few of their names. Their trees
    would take twenty times the memory of their text.
    """

    __slots__ = ("_node", "_text", "column", "end", "first_line", "line")

    def __init__(self, node: ast.stmt, text: bytes | None) -> None:
        """Keep the node if there is no text; otherwise only its place in the text."""
        decorators = getattr(node, "decorator_list", ())
        self.line = node.lineno
        self.column = node.col_offset
        self.first_line = decorators[0].lineno if decorators else node.lineno
        self.end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
        self._text = text
        self._node = node if text is None else None

    @property
    def node(self) -> ast.stmt:
        """The statement; always the same object."""
        if self._node is None:
            self._node = self._parse()
            self._text = None
        return self._node

    def _parse(self) -> ast.stmt:
        assert self._text is not None
        last_line, last_column = self.end
        lines = self._text.split(b"\n")[self.first_line - 1 : last_line]
        lines[-1] = lines[-1][:last_column]
        if self.first_line == self.line:
            before = lines[0][: self.column]
            if before.strip():  # `if condition: name = value`
                lines[0] = b" " * len(before) + lines[0][self.column :]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in the user's strings
            tree = ast.parse("if 1:\n" * bool(self.column) + b"\n".join(lines).decode())
        outer = tree.body[0]
        node = outer.body[0] if self.column and isinstance(outer, ast.If) else outer
        cut_bodies(node)
        return ast.increment_lineno(node, self.line - node.lineno)


def cut_bodies(node: ast.stmt) -> None:
    """Remove the bodies of functions, except a docstring and a `yield`."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        kept = node.body[:1] if ast.get_docstring(node, clean=False) is not None else []
        last = ast.Expr(ast.copy_location(ast.Yield(), node)) if yields(node) else ast.Pass()
        node.body = [*kept, ast.copy_location(last, node)]
    elif isinstance(node, ast.ClassDef | ast.If | ast.Try | ast.With):
        for block in blocks(node):
            for inner in block:
                cut_bodies(inner)
