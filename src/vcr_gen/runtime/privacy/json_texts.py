"""Parses JSON inside a text with the positions of its strings, so that redaction keeps it valid."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final, TypeAlias, final

_START: Final = re.compile(r"[{\[](?=\s{0,200}[\"{\[])|\A\s{0,200}\"")
_TOKEN: Final = re.compile(
    r"\"(?P<string>[^\"\\]*+(?:\\.[^\"\\]*+)*+)\"|(?P<mark>[{}\[\],:])|(?P<number>-?\d[\d.eE+-]*+)"
    r"|true|false|null|NaN|-?Infinity",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|.)|[^\\]", re.DOTALL)
_TRIES: Final = 3
"""How many failed attempts at parsing a text are allowed."""
_DECODER: Final = json.JSONDecoder(strict=False)

Tree: TypeAlias = Any
"""Dicts with `Literal` keys, lists, `Literal` for strings, `Number` for numbers, None."""


@final
class Literal(str):
    """A string of a JSON text, with its position."""

    __slots__ = ("source", "start")
    start: int
    """The position of its first character in the text."""
    source: str
    """Its spelling in the text."""

    def places(self) -> list[int]:
        """The start position of each character, and the end of the last one."""
        if len(self.source) == len(self):
            return list(range(self.start, self.start + len(self) + 1))
        places = [self.start + found.start() for found in _ESCAPE.finditer(self.source)]
        return [*places, self.start + len(self.source)]


@final
class Number(int):
    """An integer of a JSON text, with its position."""

    start: int
    end: int


def json_documents(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of JSON in a text: objects, arrays, and a text that is one string."""
    position = 0
    credit = _TRIES * len(text)
    while credit >= 0 and (found := _START.search(text, position)) is not None:
        start = found.end() - 1 if found[0][-1] == '"' else found.start()
        try:
            value, end = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as error:
            credit -= max(error.pos - start, 16)
            position = start + 1
            continue
        except RecursionError:
            return
        if not isinstance(value, str) or not text[end:].strip():
            yield start, end
        position = end


def tree_of(text: str, start: int, end: int) -> Tree:
    """Parse the valid JSON document in a range."""
    root: list[Tree] = []
    containers: list[Any] = [root]
    key: Literal | None = None
    for token in _TOKEN.finditer(text, start, end):
        mark = token["mark"]
        if mark in (",", ":"):
            continue
        if mark in ("}", "]"):
            containers.pop()
            continue
        value = _value(token)
        container = containers[-1]
        if isinstance(container, list):
            container.append(value)
        elif key is None:
            key = _unused(value, container)
            continue
        else:
            container[key], key = value, None
        if mark is not None:
            containers.append(value)
    return root[0]


def _value(token: "re.Match[str]") -> Tree:
    if token["mark"] is not None:
        return {} if token["mark"] == "{" else []
    if token["string"] is not None:
        return _literal(token["string"], token.start() + 1)
    if token["number"] is not None and token["number"].lstrip("-").isdigit():
        number = Number(token["number"])
        number.start, number.end = token.span()
        return number
    return None


def _unused(key: Literal, container: dict[str, Tree]) -> Literal:
    """The key, changed if an object has it twice, so that both values are checked."""
    made = key
    while made in container:
        made = Literal(f"{made}\0")
        made.start, made.source = key.start, key.source
    return made


def _literal(source: str, start: int) -> Literal:
    made = Literal(json.loads(f'"{source}"', strict=False) if "\\" in source else source)
    made.start, made.source = start, source
    return made
