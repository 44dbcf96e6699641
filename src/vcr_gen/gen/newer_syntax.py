"""Reads syntax that is newer than the running Python; the one module that knows libcst.

libcst parses the file and tells where the new syntax stands. That text is masked with something
older of the same extent, so that `ast` reads the rest with true line numbers, and both ways of
reading end in the same tree.
"""

import ast
from collections.abc import Iterable, Mapping

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
    finder = _NewSyntax(wrapper.module, wrapper.resolve(PositionProvider))
    finder.walk(wrapper.module)
    return Parsed(ast.parse(_mask(text, finder.masks)), finder.type_parameters)


class _NewSyntax:
    """Collects what to mask, and the type parameters found there."""

    def __init__(self, module: cst.Module, places: Mapping[cst.CSTNode, CodeRange]) -> None:
        self.module = module
        self.places = places
        self.masks: list[tuple[CodeRange, str]] = []
        self.type_parameters: dict[tuple[int, int], tuple[TypeParameter, ...]] = {}

    def walk(self, node: cst.CSTNode) -> None:
        """Look at a node and at all that it holds."""
        match node:
            case cst.ClassDef():
                self._parameters(node, node.type_parameters)
            case cst.FunctionDef():
                self._function(node)
                for part in (*node.decorators, node.params, *filter(None, [node.returns])):
                    self.walk(part)
                return
            case cst.TypeAlias():
                # `type X[T] = value` becomes `X = value`
                self._parameters(node, node.type_parameters, always=True)
                name = CodeRange(self.places[node].start, self.places[node.name].end)
                self.masks.append((name, node.name.value))
            case cst.FormattedString() | cst.TemplatedString():
                # no type, and may nest quotes since Python 3.12
                self.masks.append((self.places[node], '""'))
                return
            case cst.ExceptHandler(type=cst.Tuple(lpar=[]) as several):
                # several exceptions without parentheses are new in Python 3.14
                self.masks.append((self.places[several], "()"))
        for child in node.children:
            self.walk(child)

    def _function(self, node: cst.FunctionDef) -> None:
        """Take the type parameters and the body away, but for a docstring and a `yield`."""
        self._parameters(node, node.type_parameters)
        body = node.body
        statements: list[cst.BaseStatement | cst.BaseSmallStatement] = list(body.body)
        generates = _has_yield(body)
        if isinstance(body, cst.IndentedBlock) and node.get_docstring() is not None:
            if len(statements) == 1 and generates:
                self.masks.append((self.places[statements[0]], "yield"))
            statements = statements[1:]
        if statements:
            start, end = self.places[statements[0]].start, self.places[statements[-1]].end
            self.masks.append((CodeRange(start, end), "yield" if generates else "..."))

    def _parameters(
        self,
        node: cst.ClassDef | cst.FunctionDef | cst.TypeAlias,
        parameters: cst.TypeParameters | None,
        *,
        always: bool = False,
    ) -> None:
        if parameters is None:
            if always:
                start = self.places[node].start
                self.type_parameters[start.line, start.column] = ()
            return
        start = self.places[node].start
        decorated = isinstance(node, cst.ClassDef | cst.FunctionDef) and node.decorators
        line = self.places[node.name].start.line if decorated else start.line
        found = tuple(self._parameter(one) for one in parameters.params)
        self.type_parameters[line, start.column] = found
        self.masks.append((self.places[parameters], ""))

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


def _has_yield(node: cst.CSTNode) -> bool:
    """Whether a `yield` belongs to the function itself."""
    if isinstance(node, cst.Yield):
        return True
    if isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Lambda):
        return False
    return any(_has_yield(child) for child in node.children)


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
