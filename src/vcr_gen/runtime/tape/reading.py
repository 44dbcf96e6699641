"""Opens cassette files: complete ones strictly, truncated ones to salvage them; reads events."""

import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, Self, TypeAlias

from vcr_gen.errors import CassetteError, CassetteFormatError, CassetteMissingError
from vcr_gen.runtime.formats import Entry, format_for
from vcr_gen.runtime.formats.file_layout import is_any_in
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.blobs import blobs_of, with_blobs
from vcr_gen.runtime.tape.events import CLOCK, End, Event, Start
from vcr_gen.runtime.tape.unfolding import unfold

Change: TypeAlias = Callable[[dict[str, Plain]], dict[str, Plain]]

_CONFLICT: Final = b"<<<<<<< "
"""The start of a conflict marker of git, which no line of a cassette has."""
_PARTIAL: Final = re.compile(r"\.partial(?:\.[0-9]+)?\Z")


NEVER_CLOSED: Final = b"# never closed; opened at "
"""The line after the events of a recording that ended without being closed."""
_LONGEST_MARK: Final = 5000


class Reading:
    """An open, complete cassette: the header is read, the events follow.

    Each iteration streams the events from the file, one pass at a time.
    `change` is applied to the header and to each event.
    """

    def __init__(self, path: Path, *, change: Change | None = None) -> None:
        self.path: Final = path
        self._change: Final = change
        if is_partial(path):
            raise CassetteFormatError(
                "not a cassette, but what an interrupted recording left\n"
                f"  hint: vcr-gen cassette convert --salvage {path} NEW",
                path=path,
            )
        self._format: Final = format_for(path)
        self._stream: Final = open_regular(path)
        try:
            self.count: Final = self.verify_complete()
            """The number of events."""
            self.header: Final[dict[str, Plain]] = next(self._entries()).data
        except BaseException:
            self.close()
            raise

    def verify_complete(self) -> int:
        """The number of events; raises if one is missing, without parsing them."""
        self._stream.seek(0)
        with _conflicts_named(self._stream, self.path):
            return self._format.verify(self._stream, self.path)

    def __iter__(self) -> Iterator[Entry]:
        """The events, each with its line; raises at the first invalid place."""
        return (entry for entry in self._entries() if entry.kind == "event")

    @property
    def position(self) -> int:
        """The number of bytes read so far, for progress bars."""
        return self._stream.tell()

    def holds(self, *needles: bytes) -> bool:
        """Whether the file contains one of these texts, without parsing it."""
        return is_any_in(self._stream, needles)

    def _entries(self) -> Iterator[Entry]:
        self._stream.seek(0)
        entries = entries_of(self._stream, self.path)
        if self._change is None:
            return entries
        return (replace(entry, data=self._change(entry.data)) for entry in entries)

    def close(self) -> None:
        """Close the file; no more events can be read."""
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_header(path: Path) -> dict[str, Plain]:
    """The header of a cassette; the rest is not looked at."""
    with open_regular(path) as stream:
        return next(entries_of(stream, path)).data


def entries_of(stream: BinaryIO, path: Path) -> Iterator[Entry]:
    """The entries of an open cassette or partial file, up to the first invalid place."""
    target = target_of(path)
    blobs = blobs_of(_followed(target))
    with _conflicts_named(stream, path):
        entries = format_for(target).read(stream, path)
        if not blobs.is_dir():
            yield from entries
            return
        for entry in entries:
            yield replace(entry, data=_whole(entry, blobs, path))


def _whole(entry: Entry, blobs: Path, path: Path) -> dict[str, Plain]:
    return {key: with_blobs(value, blobs, path, entry.line) for key, value in entry.data.items()}


@contextmanager
def _conflicts_named(stream: BinaryIO, path: Path) -> Iterator[None]:
    """Report a conflict marker in a file that cannot be read."""
    try:
        yield
    except CassetteFormatError as error:
        if not is_any_in(stream, (b"\n" + _CONFLICT,)):
            raise
        stream.seek(0)
        line = next(number for number, text in enumerate(stream, 1) if text.startswith(_CONFLICT))
        message = "unresolved merge conflict: keep one of the two versions, or record again"
        raise CassetteFormatError(message, path=path, line=line) from error


def target_of(path: Path) -> Path:
    """The target of a partial file; any other path unchanged."""
    return path.with_name(_PARTIAL.sub("", path.name)) if is_partial(path) else path


def _followed(path: Path) -> Path:
    """The file of a link; any other path unchanged."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def partial_of(target: Path) -> Path:
    """The partial file of `target`."""
    return target.with_name(target.name + ".partial")


def salvage_hint(path: Path) -> str:
    """How to salvage the partial file of a cassette; empty if there is none."""
    partial = partial_of(_followed(path))
    if not partial.is_file():
        return ""
    command = shlex.join(["vcr-gen", "cassette", "convert", "--salvage", str(partial), str(path)])
    what = "an interrupted recording"
    with open_regular(partial) as stream:
        if mark := never_closed_mark(stream):
            what = f"a recording that was never closed, opened at {mark[1]},"
    return f"{what} left {partial.name}; to keep its events: {command}"


def never_closed_mark(partial: BinaryIO) -> tuple[int, str] | None:
    """The mark at the end of a partial file: its offset, and where the recording was opened."""
    tail = max(partial.seek(0, os.SEEK_END) - _LONGEST_MARK, 0)
    partial.seek(tail)
    events, mark, place = partial.read().rpartition(NEVER_CLOSED)
    return (tail + len(events), place.decode(errors="replace").strip()) if mark else None


def is_partial(path: Path) -> bool:
    """Whether the name is that of a partial file."""
    return _PARTIAL.search(path.name) is not None


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; anything else is refused, as a pipe would block."""
    try:
        if path.exists() and not path.is_file():
            raise CassetteError("not a regular file", path=path)
        return path.open("rb")
    except (FileNotFoundError, NotADirectoryError):
        hint = salvage_hint(path)
        message = "no such cassette" + (f"\n\nhint: {hint}" if hint else "")
        raise CassetteMissingError(message, path=path) from None
    except (OSError, ValueError) as error:
        raise CassetteError(f"cannot be read: {reason(error)}", path=path) from error


def reason(error: Exception) -> str:
    """The message of the operating system for an error."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


class Recorded(NamedTuple):
    """A recorded event, its call, and its location in the file."""

    event: Event
    start: Start
    """The call it belongs to."""
    number: int
    """The number of its entry in the file, from 1; a call and its end may share one."""
    line: int


def read_events(entries: Iterable[Entry], path: Path) -> Iterator[Recorded]:
    """The events of a file in order; keeps only unfinished calls in memory.

    Refuses impossible events: a call number out of order, or an event after the end of its call.
    """

    def wrong(line: int, message: str) -> CassetteFormatError:
        return CassetteFormatError(message, path=path, line=line)

    open_calls: dict[int, Start] = {}
    last_call = 0
    for number, entry in enumerate(entries, start=1):
        for event in unfold(entry.data, path=path, line=entry.line):
            if isinstance(event, Start):
                if event.call <= last_call:
                    raise wrong(entry.line, f"call {event.call} begins after call {last_call}")
                last_call = event.call
                if event.of == CLOCK and not _is_tick(event):
                    raise wrong(entry.line, "expected `since` in `args`, and `reading` or `round`")
                open_calls[event.call] = start = event
            elif event.call not in open_calls:
                raise wrong(entry.line, f"call {event.call} has not started, or has already ended")
            elif isinstance(event, End):
                start = open_calls.pop(event.call)
            else:
                start = open_calls[event.call]
            yield Recorded(event, start, number, entry.line)


def _is_tick(start: Start) -> bool:
    arguments = dict(start.arguments)
    since, at = arguments.pop("since", None), arguments.popitem() if arguments else ("", None)
    is_time = isinstance(since, int | float)
    return is_time and at[0] in ("reading", "round") and isinstance(at[1], int) and not arguments
