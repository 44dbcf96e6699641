"""Type parameters: `class A[T]`, `def f[T]`, `type X[T] = ...`, on Pythons older than 3.12 too.

Python 3.11 cannot parse these headers, and a tool may run on an older Python than the project. So
the brackets are masked with spaces: `ast` reads the rest, and every place stays what it was.
"""

import ast
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from typing import Final, TypeAlias

from vcr_gen.gen.model.annotation import TypeParameterKind

Place: TypeAlias = tuple[int, int]
"""The line, from 1, and the column, from 0, in which a statement begins."""

_KINDS: Final[Mapping[str, TypeParameterKind]] = {
    "": "TypeVar",
    "*": "TypeVarTuple",
    "**": "ParamSpec",
}
_BEFORE_STATEMENTS: Final = {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}


@dataclass(frozen=True, slots=True)
class TypeParameter:
    """One `T`, `*Ts` or `**P` between the brackets of PEP 695 syntax."""

    name: str
    kind: TypeParameterKind
    bound: ast.expr | None = None
    """The bound, or a tuple of constraints."""
    default: ast.expr | None = None


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without type parameters, its tree, and the type parameters."""

    tree: ast.Module
    text: str
    parameters: Mapping[Place, tuple[TypeParameter, ...]]
    """By the place of their statement; `type X = ...` always has an entry, perhaps empty."""


@dataclass(frozen=True, slots=True)
class _Header:
    """A statement with type parameters, or a `type` statement."""

    place: Place
    start: Place
    """Where the masked part begins; `end` is its end."""
    end: Place
    replacement: str
    parameters: tuple[TypeParameter, ...]


def native_parameters(node: ast.stmt) -> tuple[TypeParameter, ...]:
    """The type parameters of a statement that the running Python can parse."""
    kinds: Mapping[str, TypeParameterKind] = {kind: kind for kind in _KINDS.values()}
    return tuple(
        TypeParameter(
            parameter.name,
            kinds[type(parameter).__name__],
            getattr(parameter, "bound", None),
            getattr(parameter, "default_value", None),
        )
        for parameter in getattr(node, "type_params", ())
    )


def parse_masked(text: str) -> Masked | None:
    """Parse a text in which only the headers of PEP 695 are new; None if there is more."""
    lines = text.split("\n")
    parameters: dict[Place, tuple[TypeParameter, ...]] = {}
    try:
        for header in _find_headers(text):
            parameters[header.place] = header.parameters
            _mask(lines, header)
        masked = "\n".join(lines)
        tree = ast.parse(masked)
    except (SyntaxError, tokenize.TokenError):
        return None
    return Masked(tree, masked, parameters) if parameters else None


def _find_headers(text: str) -> Iterator[_Header]:
    tokens = [
        token
        for token in tokenize.generate_tokens(StringIO(text).readline)
        if token.type not in {tokenize.COMMENT, tokenize.NL}
    ]
    for index, first in enumerate(tokens):
        if index and tokens[index - 1].type not in _BEFORE_STATEMENTS:
            continue
        at = index + 1 if first.string == "async" else index
        match [token.string for token in tokens[at : at + 3]]:
            case ["def" | "class", _, "["]:
                start, replacement = tokens[at + 2].start, ""
            case ["type", name, "=" | "["] if name.isidentifier():
                start, replacement = first.start, name
            case _:
                continue
        opening = tokens[at + 2]
        has_brackets = opening.string == "["
        end, texts = _read_brackets(tokens, at + 3) if has_brackets else (opening.start, [])
        parameters = tuple(map(_read_parameter, texts))
        yield _Header(first.start, start, end, replacement, parameters)


def _read_brackets(
    tokens: Sequence[tokenize.TokenInfo], start: int
) -> tuple[Place, list[list[str]]]:
    """Where the brackets end, and the words between their commas."""
    depth, pieces = 1, [list[str]()]
    for token in islice(tokens, start, None):
        depth += (token.string in {"[", "(", "{"}) - (token.string in {"]", ")", "}"})
        if depth == 0:
            return token.end, [piece for piece in pieces if piece]
        if depth == 1 and token.string == ",":
            pieces.append([])
        else:
            pieces[-1].append(token.string)
    raise SyntaxError("the brackets are not closed")


def _read_parameter(words: list[str]) -> TypeParameter:
    """Read `T: bound = default`: without its stars, it is an annotated assignment."""
    stars = words[0] if words[0] in _KINDS else ""
    kind = _KINDS[stars]
    match ast.parse(" ".join(words[bool(stars) :])).body:
        case [ast.Expr(value=ast.Name(id=name))]:
            return TypeParameter(name, kind)
        case [ast.Assign(targets=[ast.Name(id=name)], value=default)]:
            return TypeParameter(name, kind, None, default)
        case [ast.AnnAssign(target=ast.Name(id=name), annotation=bound, value=value)]:
            return TypeParameter(name, kind, bound, value)
    raise SyntaxError(f"not a type parameter: {' '.join(words)}")


def _mask(lines: list[str], header: _Header) -> None:
    """Replace a header by spaces; whatever follows it keeps its line and its column."""
    (first, start), (last, end) = header.start, header.end
    for number in range(first, last + 1):
        line = lines[number - 1]
        before = line[:start] + header.replacement if number == first else ""
        kept = line[end:] if number == last else "\\"
        width = end if number == last else len(line)
        lines[number - 1] = before.ljust(width) + kept
