"""Type parameters: `class A[T]`, `def f[T]`, `type X[T] = ...`, on Pythons older than 3.12 too.

Python 3.11 cannot parse these headers, and a tool may run on an older Python than the project. So
the brackets are masked with spaces: `ast` reads the rest, and every place stays what it was.
"""

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, TypeAlias

from vcr_gen.gen.model.kinds import TypeParameterKind

__all__ = ["Masked", "Place", "TypeParameter", "native_parameters", "parse_masked"]

Place: TypeAlias = tuple[int, int]
"""The line, from 1, and the column, from 0, in which a statement begins."""

_HEADER: Final = re.compile(
    r"""
    ^ (?P<indent> [ \t\f]* )
    (?: (?: async [ \t]+ )? (?: def | class ) [ \t]+ \w+ [ \t]* (?= \[ )
      | (?P<type> type [ \t]+ (?P<name> \w+ ) [ \t]* (?= [=\[] ) )
    )
    """,
    re.MULTILINE | re.VERBOSE,
)
_TOKEN: Final = re.compile(
    r"""
    (?P<comment> \# [^\n]* )
    | (?P<string> \"{3} .*? \"{3} | '{3} .*? '{3}
      | " (?: [^"\\\n] | \\. )* " | ' (?: [^'\\\n] | \\. )* ' )
    | (?P<bracket> [\[\](){}] )
    | (?P<comma> , )
    | (?P<space> \s+ )
    | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_PARAMETER: Final = re.compile(r"(?P<stars>\*{0,2})\s*(?P<rest>.+)", re.DOTALL)
_KINDS: Final[Mapping[str, TypeParameterKind]] = {
    "": "TypeVar",
    "*": "TypeVarTuple",
    "**": "ParamSpec",
}


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
    """A statement that may have type parameters, or text in a string that looks like one."""

    place: Place
    start: int
    """Offset of the masked part; `end` is its end."""
    end: int
    replacement: str
    brackets: str
    """From `[` to `]`; empty where a `type` statement has none."""


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
    headers = list(_find_headers(text))
    while headers:
        applied = _without_overlaps(headers)
        masked = _mask(text, applied)
        try:
            tree = ast.parse(masked)
            statements = (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
            places = {(node.lineno, node.col_offset) for node in statements}
            # What begins no statement is part of a string, perhaps of a docstring: leave it alone.
            in_strings = {header for header in applied if header.place not in places}
            if not in_strings:
                found = {header.place: _read_parameters(header.brackets) for header in applied}
                return Masked(tree, masked, found)
        except SyntaxError:
            return None
        headers = [header for header in headers if header not in in_strings]
    return None


def _without_overlaps(headers: list[_Header]) -> list[_Header]:
    """The headers that do not begin inside the brackets of an earlier one."""
    kept: list[_Header] = []
    for header in headers:
        if not kept or kept[-1].end <= header.start:
            kept.append(header)
    return kept


def _find_headers(text: str) -> Iterator[_Header]:
    ends = list(accumulate(len(line) + 1 for line in text.split("\n")))
    for found in _HEADER.finditer(text):
        start, opening = found.end("indent"), found.end()
        closing = _after_brackets(text, opening)
        if closing is not None:
            line = bisect_right(ends, start)
            yield _Header(
                place=(line + 1, start - (ends[line - 1] if line else 0)),
                start=start if found["type"] else opening,
                end=closing,
                replacement=found["name"] or "",
                brackets=text[opening:closing],
            )


def _after_brackets(text: str, start: int) -> int | None:
    """The offset after the matching closing bracket; None if there is none."""
    if text[start] != "[":
        return start
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token.lastgroup == "bracket":
            depth += 1 if token[0] in "[({" else -1
            if depth == 0:
                return token.end()
    return None


def _mask(text: str, headers: list[_Header]) -> str:
    """Replace the headers by spaces; whatever follows them keeps its line and its column."""
    pieces: list[str] = []
    position = 0
    for header in headers:
        first, *others = text[header.start : header.end].split("\n")
        pieces += [text[position : header.start], header.replacement.ljust(len(first))]
        pieces += ("\\\n" + " " * len(line) for line in others)
        position = header.end
    return "".join([*pieces, text[position:]])


def _read_parameters(brackets: str) -> tuple[TypeParameter, ...]:
    return tuple(_read_parameter(text) for text in _split(brackets))


def _split(brackets: str) -> Iterator[str]:
    """The texts between the commas, each on one line and without comments."""
    depth, pieces = 0, [""]
    for token in _TOKEN.finditer(brackets[1:-1]):
        if token.lastgroup == "bracket":
            depth += 1 if token[0] in "[({" else -1
        if token.lastgroup == "comma" and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += " " if token.lastgroup in {"comment", "space"} else token[0]
    return (piece.strip() for piece in pieces if piece.strip())


def _read_parameter(text: str) -> TypeParameter:
    """Read `T: bound = default`: without its stars, it is an annotated assignment."""
    found = _PARAMETER.fullmatch(text)
    assert found is not None
    kind = _KINDS[found["stars"]]
    match ast.parse(found["rest"]).body:
        case [ast.Expr(value=ast.Name(id=name))]:
            return TypeParameter(name, kind)
        case [ast.Assign(targets=[ast.Name(id=name)], value=default)]:
            return TypeParameter(name, kind, None, default)
        case [ast.AnnAssign(target=ast.Name(id=name), annotation=bound, value=value)]:
            return TypeParameter(name, kind, bound, value)
    raise SyntaxError(f"not a type parameter: {text}")
