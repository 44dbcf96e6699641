"""Cassettes as JSON lines, for large sessions."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Final

from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.formats import file_layout
from vcr_gen.runtime.formats.file_layout import (
    END_KEY,
    TORN,
    Entry,
    check_event,
    check_header,
    count_checked,
    full_header,
    verify_by_reading,
)
from vcr_gen.runtime.formats.json_lines import dump_line, may_be_deep, parse_line
from vcr_gen.runtime.formats.raw_bytes import count_in, read_tail
from vcr_gen.runtime.plain import Plain, check_plain

__all__ = ["JsonlFormat"]

_END: Final = re.compile(rb'\n\{"end":\{"events":([0-9]{1,18})\}\}(\r?\n)?\Z')


class JsonlFormat:
    """One object a line: the header, the events, the end mark under the key `end`."""

    suffixes: Final = (".jsonl",)
    event_start: Final = b""

    def header(self, header: Mapping[str, Plain]) -> bytes:
        """The first line."""
        return dump_line(full_header(header))

    def event(self, event: Mapping[str, Plain], *, is_plain: bool = False) -> bytes:
        """One line."""
        checked = check_event(event, is_plain=is_plain)
        line = dump_line(checked)
        if is_plain and may_be_deep(line):
            check_plain(checked)
        return line

    def end(self, end: Mapping[str, Plain]) -> bytes:
        """The last line."""
        return dump_line({END_KEY: dict(end)})

    def read(self, stream: BinaryIO, path: Path) -> Iterator[Entry]:
        """Every entry in turn, one line at a time."""
        return count_checked(_read_entries(stream, path), path)

    def verify(self, stream: BinaryIO, path: Path) -> int:
        """Compare the end mark's count with the number of lines."""
        end = _END.search(read_tail(stream))
        others = 2 if end is not None and end[2] else 1
        if end is None or count_in(stream, b"\n") != int(end[1]) + others:
            stream.seek(0)
            return verify_by_reading(self.read, stream, path)
        return int(end[1])


def _read_entries(stream: BinaryIO, path: Path) -> Iterator[Entry]:
    kind = "header"
    number = 0
    for number, line in _lines(stream, path):
        if kind == "end":
            raise CassetteFormatError("nothing can follow the end mark", path=path, line=number)
        data = _parse_object(line, path, number)
        if kind == "header":
            _check_header(data, path, number)
            yield Entry("header", number, data)
            kind = "event"
        elif len(data) == 1 and isinstance(mark := data.get(END_KEY), dict):
            kind = "end"
            yield Entry("end", number, mark)
        elif not line.endswith(b"\n"):
            break
        else:
            yield Entry("event", number, data)
    if kind != "end":
        raise CassetteFormatError(TORN, path=path, line=max(number, 1))


def _lines(stream: BinaryIO, path: Path) -> Iterator[tuple[int, bytes]]:
    number = 0
    try:
        while line := stream.readline(file_layout.MAX_ENTRY + 1):
            number += 1
            if len(line) > file_layout.MAX_ENTRY:
                raise CassetteFormatError(file_layout.TOO_LARGE, path=path, line=number)
            yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise CassetteFormatError(message, path=path, line=number + 1) from error


def _parse_object(line: bytes, path: Path, number: int) -> dict[str, Plain]:
    try:
        data = parse_line(line)
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
