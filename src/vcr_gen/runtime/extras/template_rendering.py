"""Renders templates: the only module of the runtime that uses jinja2.

A cassette may come from an untrusted source, so a template can do very little. Its syntax is
checked before it is compiled, node by node: no loops, macros, imports, assignments, lists, calls of
methods, multiplication or `%`, so that it ends and its text stays small. It sees plain values only,
without a single Python attribute, in a sandbox that cannot alter them.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from jinja2 import StrictUndefined, nodes
from jinja2.environment import TemplateExpression
from jinja2.sandbox import ImmutableSandboxedEnvironment

from vcr_gen.runtime.plain import Plain, check_plain

__all__ = ["MAX_TEMPLATE", "MAX_TEXT", "RenderError", "compile_template"]

MAX_TEMPLATE: Final = 10_000
"""Characters of a template: far more than a value needs."""
MAX_TEXT: Final = 1_000_000
"""Characters that a template may produce."""

MAX_VALUE: Final = 100_000
"""Characters or items of a value that a template uses."""

_FORMS: Final = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.If,
    nodes.Name,
    nodes.Const,
    nodes.Getattr,
    nodes.Getitem,
    nodes.Call,
    nodes.Keyword,
    nodes.Filter,
    nodes.CondExpr,
    nodes.Add,
    nodes.Sub,
    nodes.Concat,
    nodes.Compare,
    nodes.Operand,
    nodes.And,
    nodes.Or,
    nodes.Not,
    nodes.Neg,
)

Context = Mapping[str, Any]


class RenderError(Exception):
    """Why a template is refused, or cannot be rendered."""


def compile_template(text: str, names: Mapping[str, object]) -> Callable[[Context], Plain]:
    """A function that renders a template; `names` are all that the template may use.

    A template that is one expression and nothing else gives that expression's value, a number or
    a list too; any other one gives text.
    """
    if len(text) > MAX_TEMPLATE:
        raise RenderError(f"a template has at most {MAX_TEMPLATE} characters")
    environment = _Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    try:
        tree = environment.parse(text)
        _check(tree, names)
        expression = _only_expression(tree)
        if expression is None:
            template = environment.from_string(tree)
            return _guarded(lambda context: _joined(template.generate(context)))
        assignment = nodes.Assign(nodes.Name("result", "store", lineno=1), expression, lineno=1)
        body = nodes.Template([assignment], lineno=1)
        compiled = TemplateExpression(environment.from_string(body), undefined_to_none=False)
    except RenderError:
        raise
    except Exception as error:  # jinja2 lets errors of Python's own through, of huge numbers too
        raise RenderError(_reason(error)) from None
    return _guarded(lambda context: _defined(compiled(context)))


def _guarded(render: Callable[[Context], Plain]) -> Callable[[Context], Plain]:
    def guarded(context: Context) -> Plain:
        try:
            made = render(context)
            check_plain(made)
            return made
        except RenderError:
            raise
        except Exception as error:  # of whatever a filter or an operator makes of the values
            raise RenderError(_reason(error)) from None

    return guarded


def _reason(error: BaseException) -> str:
    if isinstance(error, RecursionError | MemoryError):
        return "it nests too deeply"
    return str(error) or type(error).__name__


def _joined(pieces: Iterator[str]) -> str:
    made: list[str] = []
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > MAX_TEXT:
            raise RenderError(f"its result is longer than {MAX_TEXT} characters")
        made.append(piece)
    return "".join(made)


def _defined(value: Any) -> Plain:
    if isinstance(value, StrictUndefined):
        str(value)  # raises, with the name that means nothing
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise RenderError(f"its result is longer than {MAX_TEXT} characters")
    made: Plain = value
    return made


def _only_expression(tree: nodes.Template) -> nodes.Expr | None:
    if len(tree.body) != 1 or not isinstance(output := tree.body[0], nodes.Output):
        return None
    if len(output.nodes) != 1 or isinstance(output.nodes[0], nodes.TemplateData):
        return None
    return output.nodes[0]


def _check(tree: nodes.Node, names: Mapping[str, object]) -> None:
    pending: list[nodes.Node] = [tree]
    called: set[int] = set()
    while pending:
        node = pending.pop()
        if type(node) not in _FORMS:
            raise RenderError(f"line {node.lineno}: a template has no {_word(node)}")
        if isinstance(node, nodes.Name) and (node.name not in names or node.ctx != "load"):
            known = ", ".join(sorted(names))
            raise RenderError(f"line {node.lineno}: there is no {node.name!r}; known: {known}")
        if isinstance(node, nodes.Call) and not (
            isinstance(node.node, nodes.Name) and callable(names.get(node.node.name))
        ):
            raise RenderError(f"line {node.lineno}: only {_functions(names)} can be called")
        if isinstance(node, nodes.Call):
            called.add(id(node.node))
        if isinstance(node, nodes.Name) and callable(names[node.name]) and id(node) not in called:
            raise RenderError(f"line {node.lineno}: {node.name} must be called: {node.name}()")
        if isinstance(node, nodes.Call | nodes.Filter) and (node.dyn_args or node.dyn_kwargs):
            raise RenderError(f"line {node.lineno}: a template has no * in a call")
        if isinstance(node, nodes.Filter) and node.name not in _FILTERS:
            known = ", ".join(sorted(_FILTERS))
            word = f"there is no filter {node.name!r}; known: {known}"
            raise RenderError(f"line {node.lineno}: {word}")
        if isinstance(node, nodes.Getattr) and node.attr.startswith("_"):
            raise RenderError(f"line {node.lineno}: there is no attribute {node.attr!r}")
        pending.extend(node.iter_child_nodes())


def _word(node: nodes.Node) -> str:
    words = {nodes.For: "loops", nodes.Mul: "multiplication", nodes.Pow: "powers", nodes.Mod: "%"}
    words |= {nodes.Macro: "macros", nodes.Assign: "assignments", nodes.Include: "includes"}
    words |= {nodes.Import: "imports", nodes.FromImport: "imports", nodes.Extends: "inheritance"}
    return words.get(type(node), f"`{type(node).__name__.lower()}`")


def _functions(names: Mapping[str, object]) -> str:
    return ", ".join(sorted(f"{name}()" for name, value in names.items() if callable(value)))


class _Environment(ImmutableSandboxedEnvironment):
    """A sandbox in which `a.b` and `a['b']` are entries of plain values, and nothing else."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.globals.clear()
        self.tests.clear()
        self.filters = dict(_FILTERS)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """An entry of a mapping."""
        return self.getitem(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """An entry of a mapping, or an item of a list or text."""
        try:
            if isinstance(obj, Mapping) and isinstance(argument, str):
                return _small(obj[argument])
            if isinstance(obj, list | str) and type(argument) is int:
                return _small(obj[argument])
        except LookupError:
            pass
        known = f"; known: {', '.join(map(str, obj))}" if isinstance(obj, Mapping) else ""
        raise RenderError(f"there is no {argument!r} in what the template asks{known[:200]}")


def _small(value: Any) -> Any:
    """A value, if a template that repeats it cannot fill the memory."""
    if isinstance(value, str | list | dict) and len(value) > MAX_VALUE:
        raise RenderError(f"it uses a value of more than {MAX_VALUE} characters or items")
    return value


def _default(value: Any, other: Any = "") -> Any:
    return other if value is None or value == "" else value


_FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "default": _default,
    "float": float,
    "int": int,
    "length": len,
    "lower": lambda value: str(value).lower(),
    "string": str,
    "trim": lambda value: str(value).strip(),
    "upper": lambda value: str(value).upper(),
}
"""None of them makes a text much longer than the one it is given."""
