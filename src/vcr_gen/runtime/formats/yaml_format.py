"""Cassettes as YAML, for people.

`yaml_quick` reads what we wrote; the parser of `yaml_read` reads on where somebody edited it.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Final

from vcr_gen.runtime.formats.file_layout import (
    COUNT_KEY,
    END_KEY,
    Entry,
    check_event,
    count_in,
    full_header,
    read_tail,
    verify_by_reading,
)
from vcr_gen.runtime.formats.yaml_emit import emit_item, emit_mapping, emit_more, may_be_deep
from vcr_gen.runtime.formats.yaml_quick import read_entries
from vcr_gen.runtime.plain import Plain

_END_MARK: Final = re.compile(rb"\nend:\r?\n +events: ([0-9]{1,18})\s*\Z")


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
        return read_entries(stream, path)

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
