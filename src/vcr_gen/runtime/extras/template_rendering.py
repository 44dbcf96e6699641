"""Renders templates: the only module of the runtime that uses jinja2.

A cassette may come from an untrusted source, so jinja2 only parses a template. Its value is
computed here, by a walk over a few kinds of syntax nodes: text, literals, entries of plain values,
calls of our own functions, and the filter `int`. Nothing else of jinja2 or Python can be reached.
"""

from collections.abc import Mapping
from typing import Any, Final

from jinja2 import Environment, nodes

from vcr_gen.runtime.plain import Plain, check_plain

_ENVIRONMENT: Final = Environment(keep_trailing_newline=True)
_FORMS: Final = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.Const,
    nodes.Neg,
    nodes.Name,
    nodes.Getattr,
    nodes.Getitem,
    nodes.Call,
    nodes.Keyword,
    nodes.Filter,
)


class RenderError(Exception):
    """Why a template is refused, or cannot be rendered."""


def parse_template(text: str, names: Mapping[str, object]) -> nodes.Template:
    """The syntax of a template, checked; `names` are all that it may use."""
    try:
        tree = _ENVIRONMENT.parse(text)
    except Exception as error:  # jinja2 lets Python's own errors through, of huge numbers too
        raise RenderError(_reason(error)) from None
    _check(tree, names)
    return tree


def render_template(tree: nodes.Template, names: Mapping[str, object]) -> Plain:
    """The value of a template.

    A template that is one expression gives that expression's value; any other one gives text.
    """
    try:
        parts = [_value(part, names) for output in tree.body for part in output.iter_child_nodes()]
        made: Plain = parts[0] if len(parts) == 1 else "".join(map(str, parts))
        check_plain(made)
    except RenderError:
        raise
    except Exception as error:  # of a function with wrong arguments, of a number that is not a text
        raise RenderError(_reason(error)) from None
    return made


def _value(node: nodes.Node, names: Mapping[str, object]) -> Any:
    match node:
        case nodes.TemplateData():
            return node.data
        case nodes.Const():
            return node.value
        case nodes.Neg():
            return -_value(node.node, names)
        case nodes.Name():
            return names[node.name]
        case nodes.Getattr():
            return _entry(_value(node.node, names), node.attr)
        case nodes.Getitem():
            return _entry(_value(node.node, names), _value(node.arg, names))
        case nodes.Filter() if node.node is not None:
            return int(_value(node.node, names))
        case nodes.Call():
            options = {option.key: _value(option.value, names) for option in node.kwargs}
            return _value(node.node, names)(*(_value(each, names) for each in node.args), **options)
    raise RenderError(f"line {node.lineno}: a template has no {_word(node)}")


def _entry(holder: Any, key: Any) -> Any:
    """An entry of a mapping, or an item of a list or text."""
    try:
        if isinstance(holder, Mapping) and isinstance(key, str):
            return holder[key]
        if isinstance(holder, list | str) and type(key) is int:
            return holder[key]
    except LookupError:
        pass
    known = f"; known: {', '.join(map(str, holder))}" if isinstance(holder, Mapping) else ""
    raise RenderError(f"there is no {key!r} in what the template asks{known[:200]}")


def _check(tree: nodes.Node, names: Mapping[str, object]) -> None:
    pending: list[nodes.Node] = [tree]
    called: set[int] = set()
    while pending:
        node = pending.pop()
        place = f"line {node.lineno}"
        if type(node) not in _FORMS:
            raise RenderError(f"{place}: a template has no {_word(node)}")
        if isinstance(node, nodes.Name) and node.name not in names:
            raise RenderError(f"{place}: there is no {node.name!r}; known: {', '.join(names)}")
        if isinstance(node, nodes.Name) and callable(names[node.name]) and id(node) not in called:
            raise RenderError(f"{place}: {node.name} must be called: {node.name}()")
        if isinstance(node, nodes.Call):
            called.add(id(node.node))
            if not (isinstance(node.node, nodes.Name) and callable(names.get(node.node.name))):
                functions = [f"{name}()" for name, value in names.items() if callable(value)]
                raise RenderError(f"{place}: only {', '.join(functions)} can be called")
            if node.dyn_args or node.dyn_kwargs:
                raise RenderError(f"{place}: a template has no * in a call")
        if isinstance(node, nodes.Filter) and (node.name != "int" or node.args or node.kwargs):
            raise RenderError(f"{place}: there is no filter {node.name!r}; known: int")
        pending.extend(node.iter_child_nodes())


def _word(node: nodes.Node) -> str:
    words = {nodes.For: "loops", nodes.Mul: "multiplication", nodes.Add: "addition"}
    words |= {nodes.If: "conditions", nodes.Assign: "assignments", nodes.Macro: "macros"}
    return words.get(type(node), f"`{type(node).__name__.lower()}`")


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError | MemoryError):
        return "it nests too deeply"
    return str(error) or type(error).__name__
