"""Recognises text that black would give back unchanged, at a hundredth of black's cost.

Sound but not complete: what is called stable is stable, which a test checks against black itself
on random and on real texts; a text with anything unusual in it is simply left to black.
"""

from dataclasses import dataclass
from typing import Final

from vcr_gen.gen.rendering.stable_lines import (
    LineKind,
    closes_block,
    is_argument,
    is_parameter,
    is_wide,
    kind_of_line,
)

__all__ = ["is_stable"]

_INDENT: Final = 4
_DEFINITIONS: Final = frozenset({"class", "decorator", "def", "stub"})
_MAKE_DEFINITIONS: Final = frozenset({"class", "def", "stub"})
_HEADERS: Final = frozenset({"class", "def", "else", "flow"})
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}


@dataclass(slots=True)
class _Unit:
    """One logical line: its kind, its depth, and how many blank lines stand before it."""

    kind: LineKind | str
    depth: int
    blanks: int


def is_stable(text: str, line_length: int) -> bool:
    """Whether black is known to leave this text as it is."""
    if not text.endswith("\n") or text.endswith("\n\n"):
        return False
    units = _Reader(text.split("\n")[:-1], line_length).units()
    return units is not None and _are_spaced(units)


@dataclass(slots=True)
class _Reader:
    """Takes physical lines together to logical ones."""

    lines: list[str]
    limit: int
    at: int = 0

    def units(self) -> list[_Unit] | None:
        """All logical lines, or None when one of them is not recognised."""
        found: list[_Unit] = []
        blanks = 0
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if not line:
                blanks += 1
                self.at += 1
                continue
            body = line.lstrip(" ")
            depth, rest = divmod(len(line) - len(body), _INDENT)
            kind = "" if rest or not body else self._take(body, depth)
            if not kind:
                return None
            found.append(_Unit(kind, depth, blanks))
            blanks = 0
        return found

    def _take(self, body: str, depth: int) -> str:
        """Read one logical line and go on behind it; the empty string when it is not known."""
        if body.startswith('"""'):
            return "docstring" if self._docstring(body, depth) else ""
        if is_wide(self.lines[self.at], self.limit):
            return ""
        if body.startswith("# "):
            self.at += 1
            return "comment" if depth == 0 and body.isprintable() and body[-1] != " " else ""
        if body[-1] in "([{":
            return self._exploded(body, depth)
        self.at += 1
        return kind_of_line(body)

    def _docstring(self, body: str, depth: int) -> bool:
        """A docstring without quotes or escapes in it, indented as black wants it."""
        lines = [body]
        self.at += 1
        closed = len(body) >= 6 and body.endswith('"""')
        while not closed:
            if self.at == len(self.lines):
                return False
            lines.append(self.lines[self.at])
            self.at += 1
            closed = lines[-1].endswith('"""')
        text = "\n".join(lines)[3:-3]
        if '"' in text or "\\" in text:
            return False
        if not all(line.isprintable() and line == line.rstrip() for line in lines):
            return False
        if not text[:1].strip():
            return False
        if len(lines) == 1:
            return text == text.strip()
        indent = " " * (_INDENT * depth)
        inner = [line for line in lines[1:] if line]
        words = [line for line in inner if line.strip() != '"""']
        # black leaves long lines in docstrings alone, but breaks before closing quotes.
        return (
            not is_wide(lines[-1], self.limit)
            and all(line.startswith(indent) for line in inner)
            and (
                not lines[-1].endswith(' """')
                if inner[-1] in words
                else lines[-1] == f'{indent}"""' and lines[-2] != ""
            )
            and (not words or any(line[len(indent)] != " " for line in words))
        )

    def _exploded(self, body: str, depth: int) -> str:
        """A bracket with one item on each line and a comma after the last, which black keeps."""
        self.at += 1
        if not body.endswith("("):
            end = _CLOSING[body[-1]]
            known = body[:-1].endswith(" = ") and kind_of_line(f"{body}{end}") == "statement"
            return "statement" if known and self._items(depth, end) else ""
        if body.startswith(("def ", "async def ")):
            return self._parameters(depth) if kind_of_line(f"{body}): ...") == "stub" else ""
        if body.startswith("class "):
            return "class" if kind_of_line(f"{body}a):") and self._items(depth, "):") else ""
        imported = body.startswith("from ") and body.endswith(" import (")
        kind = kind_of_line(f"{body[:-1]}a" if imported else f"{body}a)")
        return kind if kind and self._items(depth, ")") else ""

    def _parameters(self, depth: int) -> str:
        """The parameters of a function, each on its own line, and the end of its header."""
        count = 0
        while (item := self._line(depth + 1)) is not None:
            if not item.endswith(",") or not is_parameter(item[:-1]):
                return ""
            count += 1
            self.at += 1
        line = self._line(depth)
        self.at += 1
        return closes_block(line) if count and line is not None else ""

    def _items(self, depth: int, close: str) -> bool:
        """Items up to the closing line, which may be brackets with one item on each line again."""
        alone = self._only_item(depth, close)
        if alone is not None:
            return alone
        count = 0
        while (item := self._line(depth + 1)) is not None:
            count += 1
            self.at += 1
            if item[-1] in _CLOSING:
                end = _CLOSING[item[-1]]
                if not is_argument(f"{item}{end}") or not self._items(depth + 1, f"{end},"):
                    return False
            elif not item.endswith(",") or not is_argument(item[:-1]):
                return False
        if count == 0 or self._line(depth) != close:
            return False
        self.at += 1
        return True

    def _only_item(self, depth: int, close: str) -> bool | None:
        """`f(g(...))`, where the outer brackets hold a call alone and need no comma."""
        start = self.at
        item = self._line(depth + 1)
        if item is None or item.endswith(",") or self.lines[start - 1].endswith(("[", "{")):
            return None
        self.at += 1
        if item.endswith("("):
            fine = is_argument(f"{item})") and self._items(depth + 1, ")")
        else:
            # Without a comma black joins what fits on one line.
            joined = f"{self.lines[start - 1]}{item}{close}"
            fine = item.endswith(")") and is_argument(item) and len(joined) > self.limit
        if fine and self._line(depth) == close:
            self.at += 1
            return True
        self.at = start
        return None

    def _line(self, depth: int) -> str | None:
        """The line here without its indentation, if it has exactly that and is not too long."""
        if self.at >= len(self.lines):
            return None
        line = self.lines[self.at]
        body = line.lstrip(" ")
        if not body or len(line) - len(body) != _INDENT * depth or is_wide(line, self.limit):
            return None
        return body


def _are_spaced(units: list[_Unit]) -> bool:
    """Whether every logical line has as many blank lines before it as black would leave."""
    headers: list[str] = []
    definitions: list[int] = []
    previous: _Unit | None = None
    for unit in units:
        del headers[unit.depth :]
        after_definition = bool(definitions) and definitions[-1] >= unit.depth
        while definitions and definitions[-1] >= unit.depth:
            definitions.pop()
        owner = headers[-1] if headers else "module"
        if previous is None:
            fine = unit.blanks == unit.depth == 0
        elif unit.depth > previous.depth:
            fine = unit.depth == previous.depth + 1 and _fits_first(unit, previous)
        elif previous.kind in {"comment", "decorator", "docstring"}:
            fine = _fits_after_special(unit, previous, owner, after_definition)
        elif after_definition:
            fine = _fits_after_definition(unit, previous)
        else:
            fine = _fits_after_statement(unit, previous)
        if not fine:
            return False
        headers.append(unit.kind)
        if unit.kind in _MAKE_DEFINITIONS:
            definitions.append(unit.depth)
        previous = unit
    return True


def _fits_first(unit: _Unit, header: _Unit) -> bool:
    """The first line of a block; a definition in an `if` keeps its distance."""
    if header.kind not in _HEADERS or unit.kind in {"comment", "else"}:
        return False
    if unit.kind in _DEFINITIONS:
        return unit.blanks == (0 if header.kind in _MAKE_DEFINITIONS else 1)
    return unit.blanks == 0


def _fits_after_special(unit: _Unit, previous: _Unit, owner: str, after_definition: bool) -> bool:
    if previous.kind == "comment":
        return unit.kind in {"comment", "docstring"} and unit.blanks == 0
    if previous.kind == "decorator":
        same = unit.depth == previous.depth
        return same and unit.kind in _DEFINITIONS and unit.blanks == 0
    if unit.depth < previous.depth:
        return after_definition and _fits_after_definition(unit, previous)
    if owner == "module" or unit.kind in {"comment", "docstring", "else"}:
        return owner == "module" and unit.kind in {"import", "statement"} and unit.blanks == 1
    if owner == "class" or unit.kind in _DEFINITIONS:
        return unit.blanks == 1
    return unit.blanks == 0


def _fits_after_definition(unit: _Unit, previous: _Unit) -> bool:
    if unit.kind in {"comment", "docstring"}:
        return False
    if unit.kind == "else":
        return unit.blanks == 1
    beside_stub = previous.kind == "stub" and previous.depth == unit.depth > 0
    if beside_stub and unit.kind in {"decorator", "def", "stub"}:
        return unit.blanks in {0, 1}
    return unit.blanks == (1 if unit.depth else 2)


def _fits_after_statement(unit: _Unit, previous: _Unit) -> bool:
    if unit.kind in {"comment", "docstring"}:
        return False
    if unit.kind == "else":
        return unit.blanks == 0
    if unit.kind in _DEFINITIONS:
        return unit.blanks == (1 if unit.depth else 2)
    if previous.kind == "import" and unit.kind != "import":
        return unit.blanks == 1
    return unit.blanks in {0, 1}
