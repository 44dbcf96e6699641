"""Prints annotations and strings as black writes them."""

from collections.abc import Callable

from vcr_gen.gen.model.annotation import (
    Annotation,
    Code,
    Expression,
    List,
    Name,
    Quoted,
    Starred,
    String,
    Subscript,
    Tuple,
    Union,
)


def to_text(
    annotation: Annotation,
    name: Callable[[Name], str],
    string: Callable[[Quoted], str],
    *,
    in_string: bool = False,
) -> str:
    """The annotation in black's spelling.

    `name` spells a name, and `string` gives the content of a string annotation. Strings inside
    another string are spelled as Python spells them where it keeps annotations as text.
    """

    def text(node: Annotation) -> str:
        match node:
            case Name():
                return name(node)
            case Code(text=code):
                return code
            case String(value=value):
                return repr(value) if in_string else string_literal(value)
            case Quoted():
                return repr(string(node)) if in_string else _string_annotation(string(node))
            case Subscript(value=value, inner=Tuple(elements=(_, *_) as elements)):
                return f"{text(value)}[{listed(elements, closed=True)}]"
            case Subscript(value=value, inner=inner):
                return f"{text(value)}[{text(inner)}]"
            case Union(elements=elements):
                return " | ".join(map(text, elements))
            case List(elements=elements):
                return f"[{listed(elements)}]"
            case Tuple(elements=elements):
                return f"({listed(elements, closed=True)})"
            case Starred(value=value):
                return f"*{text(value)}"
            case Expression(parts=parts):
                return "".join(part if isinstance(part, str) else text(part) for part in parts)
        raise TypeError(type(node))

    def listed(elements: tuple[Annotation, ...], *, closed: bool = False) -> str:
        return ", ".join(map(text, elements)) + ("," if closed and len(elements) == 1 else "")

    return text(annotation)


def string_literal(value: str | bytes) -> str:
    """A string as black writes it: in double quotes unless that needs more escapes."""
    shown = repr(value)
    prefix, quote, body = shown[: shown.index(shown[-1])], shown[-1], shown.lstrip("b")[1:-1]
    if quote == '"' or body.count('"') > body.count("'"):
        return shown
    escaped = body.replace("\\'", "'").replace('"', '\\"')
    return f'{prefix}"{escaped}"'


def _string_annotation(content: str) -> str:
    """A string annotation; pyright reads one of several lines only between three quotes."""
    plain = "\n" not in content or "\\" in content or '"' in content
    return string_literal(content) if plain else f'"""{content}"""'
