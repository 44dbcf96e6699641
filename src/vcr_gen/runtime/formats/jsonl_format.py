"""Cassettes as JSON lines, for large sessions; orjson, if it is there, makes them fast.

With and without it, the values read are the same; tiny floats are spelled differently.
"""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, Final, Never, cast

from vcr_gen.errors import CassetteFormatError, EncodeError, UsageError
from vcr_gen.runtime.formats.file_layout import (
    END_KEY,
    TORN,
    Entry,
    check_end,
    check_event,
    check_header,
    full_header,
    read_tail,
    verify_by_reading,
)
from vcr_gen.runtime.plain import MAX_DEPTH, Plain, check_plain, parse_float, parse_int

HAS_ORJSON: Final = find_spec("orjson") is not None
if HAS_ORJSON:
    import orjson

    _STRICT_INTEGERS: Final = orjson.OPT_APPEND_NEWLINE | orjson.OPT_STRICT_INTEGER

_END: Final = re.compile(rb'\n\{"end":\{"events":([0-9]{1,18})\}\}(?:\r?\n)?\Z')


class JsonlFormat:
    """One object a line: the header, the events, the end mark under the key `end`."""

    suffixes: Final = (".jsonl",)
    event_start: Final = b""
    grows: Final = False

    def header(self, header: Mapping[str, Plain]) -> bytes:
        """The first line."""
        return dump_line(full_header(header))

    def event(self, event: Mapping[str, Plain], *, is_plain: bool = False) -> bytes:
        """One line."""
        if not is_plain:
            return dump_line(check_event(event))
        line = dump_line(cast("dict[str, Plain]", event))
        if _may_be_deep(line):
            check_plain(cast("dict[str, Plain]", event))
        return line

    def growth(self, more: Mapping[str, Plain]) -> bytes:
        """Refuse: an event is a line and cannot change once written."""
        raise UsageError(f"an event of a JSONL cassette cannot grow: {', '.join(more)}")

    def end(self, end: Mapping[str, Plain]) -> bytes:
        """The last line."""
        return dump_line({END_KEY: dict(end)})

    def read(self, stream: BinaryIO, path: Path) -> Iterator[Entry]:
        """Every entry in turn, one line at a time."""
        return _read_entries(stream, path)

    def verify(self, stream: BinaryIO, path: Path) -> int:
        """Compare the end mark's count with the number of lines."""
        end = _END.search(read_tail(stream))
        stream.seek(0)
        if end is None or sum(1 for _ in stream) != int(end[1]) + 2:
            stream.seek(0)
            return verify_by_reading(self.read, stream, path)
        return int(end[1])


def _read_entries(stream: BinaryIO, path: Path) -> Iterator[Entry]:
    kind = "header"
    number = 0
    try:
        for number, line in enumerate(stream, start=1):
            if kind == "end":
                raise CassetteFormatError("nothing can follow the end mark", path=path, line=number)
            data = _parse_object(line, path, number)
            if kind == "header":
                _check_header(data, path, number)
                yield Entry("header", number, data)
                kind = "event"
            elif len(data) == 1 and isinstance(mark := data.get(END_KEY), dict):
                kind = "end"
                check_end(mark, number - 2, number, path)
                yield Entry("end", number, mark)
            elif line[-1:] != b"\n":
                break
            else:
                yield Entry("event", number, data)
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise CassetteFormatError(message, path=path, line=number + 1) from error
    if kind != "end":
        raise CassetteFormatError(TORN, path=path, line=max(number, 1))


def _parse_object(line: bytes, path: Path, number: int) -> dict[str, Plain]:
    try:
        data = parse_line(line.removeprefix(BOM_UTF8) if number == 1 else line)
    except ValueError as error:
        message = str(error) if line.endswith(b"\n") else TORN
        raise CassetteFormatError(message, path=path, line=number) from None
    if not isinstance(data, dict):
        raise CassetteFormatError("a line must be a JSON object", path=path, line=number)
    return data


def _check_header(header: dict[str, Plain], path: Path, line: int) -> None:
    problems = [check_header(i, key, value) for i, (key, value) in enumerate(header.items())]
    problem = next(filter(None, problems), "" if header else check_header(0, "", None))
    if problem:
        raise CassetteFormatError(problem, path=path, line=line)


def dump_line(value: dict[str, Plain]) -> bytes:
    """`value`, which must be in the plain model, with the line's end."""
    if HAS_ORJSON:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def parse_line(line: bytes) -> Plain:
    """The value of a line; ValueError, with the reason, for anything outside the plain model."""
    if HAS_ORJSON:
        try:
            value: Plain = orjson.loads(line)
        except orjson.JSONDecodeError:
            return _parse_strictly(line)
        if _is_canonical(line, value):
            return value
    return _parse_strictly(line)


def _may_be_deep(line: bytes) -> bool:
    """Whether a line may hold more levels than the plain model allows; each takes two bytes."""
    return len(line) > 2 * MAX_DEPTH and line.count(b"[") + line.count(b"{") > MAX_DEPTH


def _is_canonical(line: bytes, value: Plain) -> bool:
    """Whether `line` is what we would write: then orjson cannot have dropped or bent anything.

    orjson lets the last of two equal keys win, and makes a float of a long int.
    """
    if not isinstance(value, dict) or _may_be_deep(line):
        return False
    try:
        written = orjson.dumps(value, option=_STRICT_INTEGERS)
    except TypeError:  # an int beyond 53 bits, perhaps even beyond 64
        return False
    return written == line or written == line.rstrip(b"\r\n") + b"\n"


def _parse_strictly(line: bytes) -> Plain:
    try:
        value: Plain = _STRICT.decode(line.decode())
        check_plain(value)
    except UnicodeDecodeError:
        raise ValueError("not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not valid JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError(f"more than {MAX_DEPTH} levels of nesting") from None
    except EncodeError as error:
        raise ValueError(f"{error.path}: expected {error.expected}, got {error.got}") from None
    return value


def _unique(pairs: list[tuple[str, Plain]]) -> dict[str, Plain]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} appears twice")
    return mapping


def _no_constant(name: str) -> Never:
    raise ValueError(f"not valid JSON: {name}")


_STRICT: Final = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_constant=_no_constant,
    parse_float=parse_float,
    parse_int=parse_int,
)
