"""Reads the YAML that `yaml_emit` writes, line by line, several times faster than a parser.

It stops at the first line that is anything else: a comment, a tag, a text over several quoted
lines, an edit by hand. Then the parser of `yaml_read` reads on.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

from vcr_gen.runtime.formats.file_layout import (
    COUNT_KEY,
    END_KEY,
    Entry,
    check_end,
    check_header,
    count_checked,
)
from vcr_gen.runtime.formats.yaml_characters import TextSource
from vcr_gen.runtime.formats.yaml_scalars import FLOAT, INT, WORDS, is_safe_plain
from vcr_gen.runtime.plain import MAX_DEPTH, Plain, parse_float, parse_int

_LITERAL: Final = re.compile(r"\|(2?)([+-]?)")
_QUOTES: Final = ("'", '"')
_NUMBER_STARTS: Final = frozenset("-0123456789")
_QUOTED_KEY: Final = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'):(?:( )|$)""")
_STEP: Final = 2
_DASH: Final = "\n- "
_EVENTS: Final = f"\n{COUNT_KEY}:\n"
_END: Final = f"\n{END_KEY}:\n"

_Line: TypeAlias = tuple[int, str | None, str | None, Any]
"""The facts of a line: its place, its key, the head of its value, and the value.

The place is the column of a key; `~column` of a dash, which has no key. The head is empty if the
value is on the line; it is the start of a literal block, or None where a container begins. After a
dash, that container begins on the same line: the value is the rest of the line as a line.
"""
_AFTER_LAST: Final[_Line] = (1 << 30, None, None, None)
_known_lines: Final[dict[str, _Line]] = {}
"""Lines that may come again: in most recordings many do, such as headers."""
_known_starts: Final[dict[str, tuple[int, str, int]]] = {}
"""Starts of lines, up to the colon: the column of the key, the key, the number of dashes."""
_MOST_KNOWN: Final = 4096
_LONGEST_KNOWN: Final = 100


class _OtherLayoutError(Exception):
    """A line does not have the layout of `yaml_emit`."""


def read_entries(stream: BinaryIO, path: Path) -> Iterator[Entry]:
    """The entries of a YAML cassette: the parser reads on from the first other layout."""
    start = stream.tell()
    count = 0
    for entry in read_quickly(stream):
        if entry.kind == "end":
            check_end(entry.data, count - 1, entry.line, path)
            yield entry
            return
        yield entry
        count += 1
    from vcr_gen.runtime.formats.yaml_read import parse_entries  # PyYAML, which most never need

    stream.seek(start)
    yield from islice(count_checked(parse_entries(stream, path), path), count, None)


def read_quickly(stream: BinaryIO) -> Iterator[Entry]:
    """The entries up to the first one that has another layout or may be torn."""
    source = TextSource(stream)
    try:
        head, rest = _split_header(source)
        yield Entry("header", 1, _header(head))
        line = len(head) + 2
        pieces = _pieces(source, rest)
        piece = next(pieces)
        for following in pieces:
            lines = piece.split("\n")
            yield Entry("event", line, _mapping_of(lines, _STEP))
            line += len(lines)
            piece = following
        last, mark, end = piece.rpartition(_END)
        if not mark or end[-1:] != "\n":
            return
        lines = last.split("\n")
        yield Entry("event", line, _mapping_of(lines, _STEP))
        end_mark = _mapping_of(end[:-1].split("\n"), _STEP)
        yield Entry("end", line + len(lines), end_mark)
    except (_OtherLayoutError, ValueError):
        return


def _split_header(source: TextSource) -> tuple[list[str], str]:
    """The lines of the header, and the text after the dash of the first event."""
    text = ""
    while more := source.read():
        text += more
        head, found, rest = text.partition(_EVENTS)
        if found and len(rest) > 1:
            if rest[:2] != "- ":
                break
            return head.split("\n"), rest[2:]
    raise _OtherLayoutError


def _pieces(source: TextSource, rest: str) -> Iterator[str]:
    """The text of each event after its dash; the last one includes everything after it."""
    held = [rest]
    while True:
        if _DASH in rest:
            pieces = "".join(held).split(_DASH)
            held = [pieces.pop()]
            for piece in pieces:
                yield f"  {piece}"
        text = source.read()
        if not text:
            break
        rest = held[-1][-2:] + text  # a dash may be at the end of one and the start of the other
        held.append(text)
    yield f"  {''.join(held)}"


def _header(lines: list[str]) -> dict[str, Plain]:
    header = _mapping_of(lines, 0)
    for position, (key, value) in enumerate(header.items()):
        if check_header(position, key, value):
            raise _OtherLayoutError
    return header


def _mapping_of(lines: list[str], column: int) -> dict[str, Plain]:
    """The mapping that consists of these lines."""
    page = _Page(lines)
    found, after = page.mapping(0, column, 1)
    if after != len(lines):
        raise _OtherLayoutError
    return found


class _Page:
    """The lines of an entry, and what they say as far as that is known."""

    __slots__ = ("_lines", "_said")

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._said: list[_Line | None] = [*map(_known_lines.get, lines), _AFTER_LAST]

    def mapping(self, index: int, column: int, depth: int) -> tuple[dict[str, Plain], int]:
        """The mapping whose first key is on a line, at a column, and the line after it."""
        if depth > MAX_DEPTH:
            raise _OtherLayoutError
        lines, said = self._lines, self._said
        found: dict[str, Plain] = {}
        while True:
            place, key, head, value = said[index] or self._read(index)
            if place != column:
                break
            if key is None or key in found:
                raise _OtherLayoutError
            if head is None:
                found[key], index = self._below(index + 1, column, depth)
            elif head:
                found[key], index = _literal(lines, index, column, head)
            else:
                found[key] = value
                index += 1
        if not found:
            raise _OtherLayoutError
        return found, index

    def _read(self, index: int) -> _Line:
        """The facts of a line that was not seen before."""
        said = self._said[index] = _read_line(self._lines[index])
        return said

    def _below(self, index: int, column: int, depth: int) -> tuple[Plain, int]:
        """The container below a key at a column."""
        place, *_ = self._said[index] or self._read(index)
        if place == ~column:
            return self._sequence(index, column, depth + 1)
        return self.mapping(index, column + _STEP, depth + 1)

    def _sequence(self, index: int, column: int, depth: int) -> tuple[list[Plain], int]:
        """The sequence whose first dash is on a line, at a column, and the line after it."""
        if depth > MAX_DEPTH:
            raise _OtherLayoutError
        lines, said = self._lines, self._said
        found: list[Plain] = []
        while True:
            place, _, head, value = said[index] or self._read(index)
            if place != ~column:
                break
            item: Plain = value
            if head is None:
                said[index] = value
                begin = self.mapping if value[0] >= 0 else self._sequence
                item, index = begin(index, column + _STEP, depth + 1)
            elif head:
                item, index = _literal(lines, index, column, head)
            else:
                index += 1
            found.append(item)
        return found, index


def _read_line(line: str) -> _Line:
    """The facts of a line; cached except for times and new containers."""
    start, colon, rest = line.partition(": ")
    known = _known_starts.get(start) if colon else None
    if known is None:
        said = inner = _parse_line(start, colon, line)
    else:
        column, key, dashes = known
        said = inner = _of_key(column, key, rest)
        for _ in range(dashes):
            column -= _STEP
            said = (~column, None, None, said)
    is_time = type(inner[3]) is float
    if len(line) <= _LONGEST_KNOWN and line[-1] not in "]}" and not is_time:
        if len(_known_lines) >= _MOST_KNOWN:
            _known_lines.clear()
        _known_lines[line] = said
    return said


def _parse_line(start: str, colon: str, line: str) -> _Line:
    """The facts of a line with an unknown start, which is cached."""
    text = line.lstrip(" ")
    said = inner = _parse(len(line) - len(text), text)
    if said[1] is None and said[0] >= 0:
        raise _OtherLayoutError  # neither a key nor a dash
    dashes = 0
    while inner[0] < 0 and inner[2] is None:
        inner = inner[3]
        dashes += 1
    key = inner[1]
    if colon and key is not None and start.endswith(key):  # and not the first part of a quoted key
        if len(_known_starts) >= _MOST_KNOWN:
            _known_starts.clear()
        _known_starts[start] = (inner[0], key, dashes)
    return said


def _of_key(column: int, key: str | None, rest: str) -> _Line:
    """The facts of a line with a value, or the head of a literal block, after its key."""
    return (column, key, rest, None) if rest[:1] == "|" else (column, key, "", _scalar(rest))


def _parse(column: int, text: str) -> _Line:
    """The facts of a line without its indentation; a line with only a value has no key."""
    if text[:2] == "- ":
        item = _parse(column + _STEP, text[_STEP:])
        place, key, head, value = item
        is_container = key is not None or place < 0
        return (~column, None, None, item) if is_container else (~column, None, head, value)
    key, colon, rest = _key_and_rest(text)
    if key is not None and not colon:
        return column, key, None, None
    return _of_key(column, key, rest)


def _key_and_rest(text: str) -> tuple[str | None, str, str]:
    """The key that a text begins with, the colon if its value is on the same line, and the rest."""
    if text[:1] in _QUOTES:
        found = _QUOTED_KEY.match(text)
        if found is None:
            return None, "", text
        key, colon, rest = _scalar(found[1]), found[2], text[found.end() :]
        if not isinstance(key, str):
            raise _OtherLayoutError
        return key, colon, rest
    key, colon, rest = text.partition(": ")
    if not colon:
        if key[-1:] != ":":
            return None, "", text
        key = key[:-1]
    if not is_safe_plain(key):
        raise _OtherLayoutError
    return key, colon, rest


def _literal(lines: list[str], index: int, column: int, head: str) -> tuple[str, int]:
    """The text of a literal block whose header is in a line, and the line after the block."""
    style = _LITERAL.fullmatch(head)
    if style is None:
        raise _OtherLayoutError
    width = column + _STEP
    lead = " " * width
    text: list[str] = []
    index += 1
    while index < len(lines) and (not lines[index] or lines[index].startswith(lead)):
        text.append(lines[index][width:])
        index += 1
    indent_digit, chomping = style.groups()
    if not text or (not indent_digit and text[0][:1] in ("", " ", "\t")):
        raise _OtherLayoutError
    if not text[-1] and chomping != "+":
        raise _OtherLayoutError
    return "\n".join(text) + ("" if chomping == "-" else "\n"), index


def _scalar(text: str) -> Plain:
    """The value of a text on one line."""
    if not text:
        raise _OtherLayoutError
    first = text[0]
    if first in _NUMBER_STARTS:
        if "." in text:
            if FLOAT.fullmatch(text):
                return parse_float(text)
        elif INT.fullmatch(text):
            return parse_int(text)
    elif first in _QUOTES:
        if len(text) > 1 and text[-1] == first:
            return _quoted(text, text[1:-1])
    elif is_safe_plain(text):
        return text
    elif text in WORDS:
        return WORDS[text]
    elif text == "{}":
        return {}
    elif text == "[]":
        return []
    raise _OtherLayoutError


def _quoted(text: str, inner: str) -> str:
    """The text that a quoted one spells."""
    if text[0] == "'":
        if "'" not in inner.replace("''", ""):
            return inner.replace("''", "'")
    elif "\\" not in inner and '"' not in inner:
        return inner
    elif "\\ud" not in inner.lower():  # YAML does not allow half a character
        return str(json.loads(text))
    raise _OtherLayoutError
