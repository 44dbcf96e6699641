"""Cassettes as YAML, for people.

The reader here understands the layout of `yaml_emit`, line by line, several times faster than a
parser. It stops at the first line that is anything else: a comment, a tag, a text over several
quoted lines, an edit by hand. Then the parser of `yaml_read` reads on.
"""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from vcr_gen.runtime.formats.file_layout import (
    COUNT_KEY,
    END_KEY,
    Entry,
    check_event,
    check_header,
    count_checked,
    count_in,
    full_header,
    read_tail,
    verify_by_reading,
)
from vcr_gen.runtime.formats.yaml_characters import TextSource
from vcr_gen.runtime.formats.yaml_emit import emit_item, emit_mapping, emit_more, may_be_deep
from vcr_gen.runtime.formats.yaml_scalars import FLOAT, INT, WORDS, is_safe_plain
from vcr_gen.runtime.plain import MAX_DEPTH, Plain, parse_float, parse_int

__all__ = ["YamlFormat", "read_quickly"]

_END_MARK: Final = re.compile(rb"\nend:\r?\n +events: ([0-9]{1,18})\s*\Z")
_LITERAL: Final = re.compile(r"\|(2?)([+-]?)")
_QUOTES: Final = ("'", '"')
_QUOTED_KEY: Final = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'):(?:( )|$)""")
_STEP: Final = 2
_known_lines: Final[dict[str, tuple[str, str | None, Plain]]] = {}
"""What `_split` returned for lines that may come again."""
_MOST_KNOWN: Final = 4096
_LONGEST_KNOWN: Final = 100
_DASH: Final = "\n- "
_EVENTS: Final = f"\n{COUNT_KEY}:\n"
_END: Final = f"\n{END_KEY}:\n"


class YamlFormat:
    """One mapping: the header's keys, `events` as a list at the left margin, `end`."""

    suffixes: Final = (".yaml", ".yml")
    event_start: Final = b"- "
    grows: Final = True

    def header(self, header: Mapping[str, Plain]) -> bytes:
        """The header's keys, and the one that opens the list."""
        return f"{emit_mapping(full_header(header))}{COUNT_KEY}:\n".encode()

    def event(self, event: Mapping[str, Plain], *, is_plain: bool = False) -> bytes:
        """One item of the list."""
        if not is_plain:
            event = check_event(event)
        text = emit_item(event)
        if is_plain and may_be_deep(text):
            check_event(event)
        return text.encode()

    def growth(self, more: Mapping[str, Plain]) -> bytes:
        """More lines of the last item."""
        text = emit_more(more)
        if may_be_deep(text):
            check_event(more)
        return text.encode()

    def end(self, end: Mapping[str, Plain]) -> bytes:
        """The last key."""
        return emit_mapping({END_KEY: dict(end)}).encode()

    def read(self, stream: BinaryIO, path: Path) -> Iterator[Entry]:
        """Every entry in turn, in constant memory."""
        return count_checked(_read_entries(stream, path), path)

    def verify(self, stream: BinaryIO, path: Path) -> int:
        """Compare the end mark's count with the number of lines that start an event.

        Everything inside an event is indented. If the numbers differ, the file is torn or was
        reformatted; then it is read as a whole.
        """
        end = _END_MARK.search(read_tail(stream))
        if end is None or count_in(stream, b"\n- ", after=b"\nevents:") != int(end[1]):
            stream.seek(0)
            return verify_by_reading(self.read, stream, path)
        return int(end[1])


def _read_entries(stream: BinaryIO, path: Path) -> Iterator[Entry]:
    """The entries: the quick reader first, the parser from the first other layout on."""
    start = stream.tell()
    count = 0
    for entry in read_quickly(stream):
        yield entry
        count += 1
        if entry.kind == "end":
            return
    from vcr_gen.runtime.formats.yaml_read import parse_entries  # PyYAML, which most never need

    stream.seek(start)
    yield from islice(parse_entries(stream, path), count, None)


class _OtherLayoutError(Exception):
    """A line does not have the layout of `yaml_emit`."""


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
            yield Entry("event", line, _whole_mapping(lines))
            line += len(lines)
            piece = following
        last, mark, end = piece.rpartition(_END)
        if not mark or end[-1:] != "\n":
            return
        lines = last.split("\n")
        yield Entry("event", line, _whole_mapping(lines))
        end_mark = _whole_mapping(end[:-1].split("\n"))
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
    header, after = _mapping(lines, 0, 0, 1)
    if after != len(lines):
        raise _OtherLayoutError
    for position, (key, value) in enumerate(header.items()):
        if check_header(position, key, value):
            raise _OtherLayoutError
    return header


def _whole_mapping(lines: list[str]) -> dict[str, Plain]:
    """The event or end mark that consists of these lines."""
    found, after = _mapping(lines, 0, _STEP, 1)
    if after != len(lines):
        raise _OtherLayoutError
    return found


def _mapping(lines: list[str], index: int, indent: int, depth: int) -> tuple[dict[str, Plain], int]:
    """The mapping that starts at a line, with its keys at `indent`, and the line after it."""
    if depth > MAX_DEPTH:
        raise _OtherLayoutError
    found: dict[str, Plain] = {}
    lead = " " * indent
    count = len(lines)
    while index < count:
        line = lines[index]
        if not line.startswith(lead):
            break
        text = line[indent:]
        key, rest, value = _known_lines.get(text) or _split(text)
        if key in found:
            raise _OtherLayoutError
        if rest is None:
            found[key], index = _nested(lines, index + 1, indent, depth)
        elif rest:
            found[key], index = _literal(lines, index, indent, rest)
        else:
            found[key] = value
            index += 1
    if not found:
        raise _OtherLayoutError
    return found, index


def _split(text: str) -> tuple[str, str | None, Plain]:
    """The key of a line, and its value if that is on the same line.

    Between them the start of a literal block, or None if the value begins on the next line.
    """
    key, colon, rest = text.partition(": ")
    if not colon:
        if key[-1:] != ":":
            raise _OtherLayoutError
        key = key[:-1]
    if not is_safe_plain(key):
        key, colon, rest = _quoted_key(text)
    if not colon:
        return _remember(text, (key, None, None))
    if rest[:1] == "|":
        return key, rest, None
    return _remember(text, (key, "", _scalar(rest)))


def _remember(text: str, parts: tuple[str, str | None, Plain]) -> tuple[str, str | None, Plain]:
    """Keep what a line says: in most recordings many lines come again, such as headers."""
    if len(text) <= _LONGEST_KNOWN and not isinstance(parts[2], list | dict):
        if len(_known_lines) >= _MOST_KNOWN:
            _known_lines.clear()
        _known_lines[text] = parts
    return parts


def _nested(lines: list[str], index: int, indent: int, depth: int) -> tuple[Plain, int]:
    """The value below a key at `indent`."""
    if index < len(lines) and lines[index].startswith(" " * indent + "-"):
        return _sequence(lines, index, indent, depth + 1)
    return _mapping(lines, index, indent + _STEP, depth + 1)


def _sequence(lines: list[str], index: int, indent: int, depth: int) -> tuple[list[Plain], int]:
    """The sequence that starts at a line, with its dashes at `indent`, and the line after it."""
    if depth > MAX_DEPTH:
        raise _OtherLayoutError
    found: list[Plain] = []
    lead = " " * indent + "- "
    while index < len(lines) and lines[index].startswith(lead):
        rest = lines[index][indent + _STEP :]
        item: Plain
        if rest[:1] == "|":
            item, index = _literal(lines, index, indent, rest)
        elif rest.startswith("- "):
            lines[index] = " " * (indent + _STEP) + rest
            item, index = _sequence(lines, index, indent + _STEP, depth + 1)
        elif _QUOTED_KEY.match(rest) if rest[:1] in _QUOTES else ": " in rest or rest[-1:] == ":":
            lines[index] = " " * (indent + _STEP) + rest
            item, index = _mapping(lines, index, indent + _STEP, depth + 1)
        else:
            item = _scalar(rest)
            index += 1
        found.append(item)
    return found, index


def _literal(lines: list[str], index: int, indent: int, head: str) -> tuple[str, int]:
    """The text of a literal block whose header is in a line, and the line after the block."""
    style = _LITERAL.fullmatch(head)
    if style is None:
        raise _OtherLayoutError
    width = indent + _STEP
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


def _quoted_key(line: str) -> tuple[str, str, str]:
    """A quoted key, the colon if its value is on the same line, and the value."""
    found = _QUOTED_KEY.match(line)
    key = _scalar(found[1]) if found is not None else None
    if found is None or not isinstance(key, str):
        raise _OtherLayoutError
    return key, found[2], line[found.end() :]


def _scalar(text: str) -> Plain:
    """The value of a text on one line."""
    if not text:
        raise _OtherLayoutError
    if is_safe_plain(text):
        return text
    if text in WORDS:
        return WORDS[text]
    if INT.fullmatch(text):
        return parse_int(text)
    if FLOAT.fullmatch(text):
        return parse_float(text)
    if text == "{}":
        return {}
    if text == "[]":
        return []
    inner = text[1:-1]
    if len(text) > 1 and text[0] == text[-1] == "'":
        if "'" in inner.replace("''", ""):
            raise _OtherLayoutError
        return inner.replace("''", "'")
    if len(text) > 1 and text[0] == text[-1] == '"':
        if "\\" not in inner and '"' not in inner:
            return inner
        if "\\ud" not in inner.lower():  # half a character is none in YAML
            return str(json.loads(text))
    raise _OtherLayoutError
