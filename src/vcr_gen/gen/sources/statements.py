"""Statements that are parsed on demand, so that no syntax trees are kept."""

import ast
import warnings

from vcr_gen.gen.sources.syntax import blocks, yields

__all__ = ["Statement", "cut_bodies"]


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
