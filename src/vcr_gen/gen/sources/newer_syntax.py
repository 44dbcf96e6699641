"""Reads syntax that is newer than the running Python; the one module that knows libcst.

What is new is masked with something older of the same extent, so that `ast` reads the rest with
true line numbers, and all ways of reading end in the same tree. libcst reads what was masked: the
brackets of headers and, where more than those is new, the whole file.
"""

import ast
from collections.abc import Mapping

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from vcr_gen.gen.model.kinds import TypeParameterKind
from vcr_gen.gen.sources.masking import Mask, mask
from vcr_gen.gen.sources.newer_headers import find_headers
from vcr_gen.gen.sources.syntax import Parsed, TypeParameter

__all__ = ["parse_newer"]


def parse_newer(text: str) -> Parsed:
    """Parse text that `ast` refused; raises `SyntaxError` when libcst refuses it too.

    And `RecursionError` where something stands too deep in other things.
    """
    return _parse_headers(text) or _parse_wholly(text)


def _parse_headers(text: str) -> Parsed | None:
    """Parse a text in which only the headers of PEP 695 are new; None if there is more."""
    headers = list(find_headers(text))
    while headers:
        try:
            masked = mask(text, [one.mask for one in headers])
            tree = ast.parse(masked)
        except SyntaxError:
            return None
        statements = (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
        places = {(node.lineno, node.col_offset) for node in statements}
        # What begins no statement stands in a string, a docstring perhaps, and must stay there.
        real = [one for one in headers if one.place in places]
        if len(real) == len(headers):
            known = {one: _read_brackets(one) for one in {one.brackets for one in real}}
            return Parsed(tree, masked, {one.place: known[one.brackets] for one in real})
        headers = real
    return None


def _read_brackets(brackets: str) -> tuple[TypeParameter, ...]:
    if not brackets:
        return ()
    module = cst.parse_module(f"class _{brackets}: ...\n")
    definition = module.body[0]
    assert isinstance(definition, cst.ClassDef)
    return _parameters(module, definition.type_parameters)


def _parse_wholly(text: str) -> Parsed:
    try:
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    except cst.ParserSyntaxError as error:
        raise SyntaxError(
            error.message, ("", error.raw_line, error.raw_column + 1, None)
        ) from error
    try:
        places = wrapper.resolve(PositionProvider)
    except KeyError as error:  # which is what libcst makes of it
        raise RecursionError from error
    finder = _NewSyntax(wrapper.module, places)
    finder.walk(wrapper.module)
    masked = mask(text, finder.masks)
    return Parsed(ast.parse(masked), masked, finder.type_parameters)


class _NewSyntax:
    """Collects what to mask, and the type parameters found there."""

    def __init__(self, module: cst.Module, places: Mapping[cst.CSTNode, CodeRange]) -> None:
        self.module = module
        self.places = places
        self.masks: list[Mask] = []
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
                self._hide(name, node.name.value)
            case cst.FormattedString() | cst.TemplatedString():
                # no type, and may nest quotes since Python 3.12; as a default, to be fetched
                self._hide(self.places[node], 'f""')
                return
            case cst.ExceptHandler(type=cst.Tuple(lpar=[]) as several):
                # several exceptions without parentheses are new in Python 3.14
                self._hide(self.places[several], "()")
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
                self._hide(self.places[statements[0]], "yield")
            statements = statements[1:]
        if statements:
            decorators = getattr(statements[0], "decorators", ())  # which libcst leaves outside
            first = decorators[0] if decorators else statements[0]
            start, end = self.places[first].start, self.places[statements[-1]].end
            self._hide(CodeRange(start, end), "yield" if generates else "...")

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
        self.type_parameters[line, start.column] = _parameters(self.module, parameters)
        self._hide(self.places[parameters], "")

    def _hide(self, span: CodeRange, stand_in: str) -> None:
        start, end = span.start, span.end
        self.masks.append(Mask((start.line, start.column), (end.line, end.column), stand_in))


def _parameters(
    module: cst.Module, parameters: cst.TypeParameters | None
) -> tuple[TypeParameter, ...]:
    return tuple(_parameter(module, one) for one in parameters.params) if parameters else ()


def _parameter(module: cst.Module, node: cst.TypeParam) -> TypeParameter:
    kind: TypeParameterKind
    bound = None
    if isinstance(node.param, cst.TypeVar):
        kind = "TypeVar"
        bound = _expression(module, node.param.bound)
    elif isinstance(node.param, cst.ParamSpec):
        kind = "ParamSpec"
    else:
        kind = "TypeVarTuple"
    default = _expression(module, node.default)
    if default is not None and node.star == "*":
        default = ast.Starred(default, ast.Load())
    return TypeParameter(node.param.name.value, kind, bound, default)


def _expression(module: cst.Module, node: cst.BaseExpression | None) -> ast.expr | None:
    return None if node is None else ast.parse(module.code_for_node(node), mode="eval").body


def _has_yield(node: cst.CSTNode) -> bool:
    """Whether a `yield` belongs to the function itself."""
    if isinstance(node, cst.Yield):
        return True
    if isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Lambda):
        return False
    return any(_has_yield(child) for child in node.children)
