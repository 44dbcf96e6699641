"""The layout of every cassette file: a header, events, and an end mark that counts them."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from io import SEEK_END
from pathlib import Path
from typing import BinaryIO, Final, Literal, Protocol

from vcr_gen.errors import CassetteFormatError, EncodeError, UsageError
from vcr_gen.runtime.plain import Plain, check_plain

VERSION: Final = 1
"""The version of the cassette layout; a file of any other is refused."""

VERSION_KEY: Final = "vcr-gen"

HEADER_KEYS: Final = (
    VERSION_KEY,
    "recorded_at",
    "imported",
    "max_age",
    "initial_state",
    "anchors",
    "roots",  # of older recordings, and ignored
    "order",
    "strategy",
    "redaction",
    "boundaries",
    "rules",
)
"""The keys of a header, in the order in which they are written."""

TORN: Final = (
    "the file ends without its end mark: it was truncated, or the recording was interrupted"
)
UNFINISHED: Final = "the recording stopped here: the end mark is missing"

TEMPLATE_KEY: Final = "$template"
"""The only key of a mapping that is a template, which is rendered in each replay."""
TEMPLATE_TAG: Final = "!template"
"""How YAML spells one: a text with this tag."""

END_KEY: Final = "end"
COUNT_KEY: Final = "events"


@dataclass(slots=True)  # not frozen, as that doubles the cost of making one
class Entry:
    """A part of a cassette, with its line."""

    kind: Literal["header", "event", "end"]
    line: int
    data: dict[str, Plain]


class Format(Protocol):
    """Converts entries to bytes and back; stateless."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The suffixes of this format, the usual one first."""

    @property
    def event_start(self) -> bytes:
        """Bytes that every event starts with, and that never occur inside an event.

        A recording writes them in advance, to show that the previous event is complete.
        Empty if an event shows its own end.
        """

    def header(self, header: Mapping[str, Plain]) -> bytes:
        """The bytes that come before the first event."""

    def event(self, event: Mapping[str, Plain], *, is_plain: bool = False) -> bytes:
        """One event; events are simply concatenated.

        One that `is_plain` is known to be in the plain model; only its depth is checked.
        """

    @property
    def grows(self) -> bool:
        """Whether the last event of a file can get more keys, and its last list more items."""

    def growth(self, more: Mapping[str, Plain]) -> bytes:
        """More keys of the last event, or more items of its last list."""

    def end(self, end: Mapping[str, Plain]) -> bytes:
        """The end mark."""

    def read(self, stream: BinaryIO, path: Path) -> Iterator[Entry]:
        """Every entry in turn; an event that may be torn is never among them.

        Raises CassetteFormatError at the first invalid place.
        """

    def verify(self, stream: BinaryIO, path: Path) -> int:
        """The number of events, after a cheap check that none is missing."""


def full_header(header: Mapping[str, Plain]) -> dict[str, Plain]:
    """The header to write: with the version, keys in a fixed order, and checked values."""
    unknown = sorted(set(header) - set(HEADER_KEYS))
    if unknown:
        raise UsageError(f"a cassette's header has no key {unknown[0]!r}")
    if header.get(VERSION_KEY, VERSION) != VERSION:
        raise UsageError(f"cassettes are written as version {VERSION}")
    ordered: dict[str, Plain] = {VERSION_KEY: VERSION}
    ordered |= {key: header[key] for key in HEADER_KEYS if key in header}
    check_plain(ordered)
    return ordered


def check_event(event: Mapping[str, Plain]) -> dict[str, Plain]:
    """`event` as a dict; raises if it cannot be written, or looks like an end mark."""
    plain = event if isinstance(event, dict) else dict(event)
    check_plain(plain)
    if len(plain) == 1 and isinstance(plain.get(END_KEY), dict):
        raise EncodeError(path="$", expected="an event", got="an event that looks like an end mark")
    return plain


def check_header(position: int, key: str, value: Plain) -> str:
    """The problem with the item at `position` of a header; empty if there is none.

    It checks one item at a time, so that another kind of file is refused at its first line.
    """
    if position == 0:
        if key != VERSION_KEY:
            is_vcrpy = key == "interactions"
            hint = (
                "\n\nhint: to convert it: vcr-gen cassette convert FILE --from vcrpy"
                if is_vcrpy
                else ""
            )
            return f"not a cassette: the first key is {key!r}, not {VERSION_KEY!r}{hint}"
        if type(value) is not int or value != VERSION:
            reads = f"this vcr-gen reads version {VERSION}"
            return f"unsupported cassette format version {value!r}; {reads}"
    elif key not in HEADER_KEYS:
        return f"a cassette's header has no key {key!r}; known: {', '.join(HEADER_KEYS)}"
    return ""


def count_checked(entries: Iterator[Entry], path: Path) -> Iterator[Entry]:
    """The same entries; raises unless the end mark has the right number of events."""
    count = 0
    for entry in entries:
        if entry.kind == "event":
            count += 1
        elif entry.kind == "end":
            check_end(entry.data, count, entry.line, path)
        yield entry


def check_end(end: Mapping[str, Plain], count: int, line: int, path: Path) -> None:
    """Raise unless the end mark `end` counts `count` events."""
    claimed = end.get(COUNT_KEY)
    if set(end) != {COUNT_KEY} or type(claimed) is not int:
        raise CassetteFormatError("the end mark must say `events: N`", path=path, line=line)
    if claimed != count:
        message = f"the end mark counts {claimed} events, but the file holds {count}"
        raise CassetteFormatError(message, path=path, line=line)


def verify_by_reading(
    read: Callable[[BinaryIO, Path], Iterator[Entry]], stream: BinaryIO, path: Path
) -> int:
    """`Format.verify` for formats or files without a cheaper way: reads everything."""
    return sum(entry.kind == "event" for entry in read(stream, path))


_CHUNK: Final = 1 << 16
_TAIL: Final = 1 << 10


def read_tail(stream: BinaryIO) -> bytes:
    """The last bytes of a file, enough for an end mark."""
    size = stream.seek(0, SEEK_END)
    stream.seek(max(0, size - _TAIL))
    return stream.read()


def is_any_in(stream: BinaryIO, needles: Collection[bytes]) -> bool:
    """Whether one of the texts occurs in a file, in one pass."""
    stream.seek(0)
    most_kept = max(map(len, needles)) - 1
    kept = b""
    while chunk := stream.read(_CHUNK):
        window = kept + chunk
        if any(needle in window for needle in needles):
            return True
        kept = window[len(window) - most_kept :]
    return False


def count_in(stream: BinaryIO, needle: bytes, *, after: bytes = b"") -> int:
    """How often `needle` occurs in a file after the first `after`; neither overlaps itself."""
    stream.seek(0)
    count = 0
    kept = b""
    while chunk := stream.read(_CHUNK):
        window = kept + chunk
        if after:
            found = window.find(after)
            if found < 0:
                kept = window[-len(after) :]
                continue
            window = window[found + len(after) :]
            after = b""
        count += window.count(needle)
        kept = window[len(window) - len(needle) + 1 :] if len(needle) > 1 else b""
    return count
