"""Reads syntax that is newer than the running Python; the one module that knows libcst.

libcst parses the file and tells where the new syntax stands. That text is masked with something
older of the same extent, so that `ast` reads the rest with true line numbers, and both ways of
reading end in the same tree.
"""

import ast
from collections.abc import Iterable

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from vcr_gen.gen.syntax import Parsed, TypeParameter, TypeParameterKind

__all__ = ["parse_newer"]


def parse_newer(text: str) -> Parsed:
    """Parse text that `ast` refused; raises `SyntaxError` when libcst refuses it too."""
    try:
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    except cst.ParserSyntaxError as error:
        raise SyntaxError(
            error.message, ("", error.raw_line, error.raw_column + 1, None)
        ) from error
    finder = _NewSyntax(wrapper.module)
    wrapper.visit(finder)
    tree = ast.parse(_mask(text, finder.masks))
    return Parsed(tree, finder.type_parameters)


class _NewSyntax(cst.CSTVisitor):
    """Collects what to mask, and the type parameters found there."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, module: cst.Module) -> None:
        super().__init__()
        self.module = module
        self.masks: list[tuple[CodeRange, str]] = []
        self.type_parameters: dict[tuple[int, int], tuple[TypeParameter, ...]] = {}

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        """Take the type parameters away."""
        self._parameters(node, node.type_parameters)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        """Take the type parameters and the body away, but for a docstring and a `yield`."""
        self._parameters(node, node.type_parameters)
        body = node.body
        statements: list[cst.BaseStatement | cst.BaseSmallStatement] = list(body.body)
        first = statements[0] if statements else None
        if isinstance(body, cst.IndentedBlock) and node.get_docstring() is not None:
            statements = statements[1:]
        if statements:
            start, end = self._range(statements[0]), self._range(statements[-1])
            stand_in = "yield" if _has_yield(body) else "..."
            self.masks.append((CodeRange(start.start, end.end), stand_in))
        elif first is not None and _has_yield(body):
            self.masks.append((self._range(first), "yield"))
        return False

    def visit_TypeAlias(self, node: cst.TypeAlias) -> None:
        """Turn `type X[T] = value` into `X = value`."""
        self._parameters(node, node.type_parameters, always=True)
        keyword_and_name = CodeRange(self._range(node).start, self._range(node.name).end)
        self.masks.append((keyword_and_name, node.name.value))

    def visit_FormattedString(self, node: cst.FormattedString) -> bool:
        """An f-string is no type, and may nest quotes since Python 3.12."""
        self.masks.append((self._range(node), '""'))
        return False

    def visit_TemplatedString(self, node: cst.TemplatedString) -> bool:
        """A t-string is no type, and new in Python 3.14."""
        self.masks.append((self._range(node), '""'))
        return False

    def visit_ExceptHandler(self, node: cst.ExceptHandler) -> None:
        """Several exceptions without parentheses are new in Python 3.14."""
        if isinstance(node.type, cst.Tuple) and not node.type.lpar:
            self.masks.append((self._range(node.type), "()"))

    def _range(self, node: cst.CSTNode) -> CodeRange:
        found = self.get_metadata(PositionProvider, node)
        if not isinstance(found, CodeRange):
            raise TypeError(f"no position for {type(node).__name__}")
        return found

    def _parameters(
        self,
        node: cst.ClassDef | cst.FunctionDef | cst.TypeAlias,
        parameters: cst.TypeParameters | None,
        *,
        always: bool = False,
    ) -> None:
        if parameters is None and not always:
            return
        start = self._range(node).start
        line, column = start.line, start.column
        found = () if parameters is None else tuple(map(self._parameter, parameters.params))
        if isinstance(node, cst.ClassDef | cst.FunctionDef) and node.decorators:
            line = self._range(node.name).start.line
        self.type_parameters[line, column] = found
        if parameters is not None:
            self.masks.append((self._range(parameters), ""))

    def _parameter(self, node: cst.TypeParam) -> TypeParameter:
        kind: TypeParameterKind
        bound = None
        if isinstance(node.param, cst.TypeVar):
            kind = "TypeVar"
            bound = self._expression(node.param.bound)
        elif isinstance(node.param, cst.ParamSpec):
            kind = "ParamSpec"
        else:
            kind = "TypeVarTuple"
        default = self._expression(node.default)
        if default is not None and node.star == "*":
            default = ast.Starred(default, ast.Load())
        return TypeParameter(node.param.name.value, kind, bound, default)

    def _expression(self, node: cst.BaseExpression | None) -> ast.expr | None:
        if node is None:
            return None
        return ast.parse(self.module.code_for_node(node), mode="eval").body


def _has_yield(body: cst.BaseSuite) -> bool:
    finder = _YieldFinder()
    body.visit(finder)
    return finder.found


class _YieldFinder(cst.CSTVisitor):
    """Looks for a `yield` that belongs to the function itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_Yield(self, node: cst.Yield) -> None:
        self.found = True

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False


def _mask(text: str, masks: Iterable[tuple[CodeRange, str]]) -> str:
    """Replace each range by its stand-in; lines keep their numbers, later text its column."""
    lines = text.split("\n")
    for span, stand_in in sorted(masks, key=_start, reverse=True):
        first, last = span.start.line - 1, span.end.line - 1
        before, after = lines[first][: span.start.column], lines[last][span.end.column :]
        if first == last:
            width = span.end.column - span.start.column
            lines[first] = before + stand_in.ljust(width) + after
            continue
        # A logical line must not end where the masked text had a line break.
        joined = after.strip() and not after.lstrip().startswith("#")
        lines[first] = before + stand_in + (after if joined else "")
        for number in range(first + 1, last + 1):
            lines[number] = ""
    return "\n".join(lines)


def _start(mask: tuple[CodeRange, str]) -> tuple[int, int]:
    return mask[0].start.line, mask[0].start.column
