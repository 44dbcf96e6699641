"""Cassettes on disk: with `blobs`, the only module of the runtime that writes files.

A recording grows in a partial file beside its target and replaces the target only when it is
whole, so that neither a crash nor a full disk costs the old cassette or a finished event.
"""

import base64
import json
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from vcr_gen.errors import CassetteBusyError, CassetteWriteError, UsageError
from vcr_gen.runtime.formats import Entry, Format, file_layout, format_for
from vcr_gen.runtime.formats.file_layout import is_any_in
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.blobs import LARGE, Blobs, blobs_of, without_blobs
from vcr_gen.runtime.tape.reading import (
    NEVER_CLOSED,
    entries_of,
    never_closed_mark,
    open_regular,
    partial_of,
    reason,
    target_of,
)

if sys.platform != "win32":
    import fcntl

Rewrite: TypeAlias = Callable[[Iterable[Entry]], Iterable[Mapping[str, Plain]]]
"""Rewrites the entries of a file."""

_OPEN: Final = os.O_RDWR | os.O_CREAT
if sys.platform == "win32":
    _FLAGS: Final = _OPEN | os.O_BINARY
else:  # do not follow links
    _FLAGS: Final = _OPEN | os.O_NOFOLLOW


class Recording:
    """A cassette that is being written; each target has at most one at a time.

    A `copy` is made from another cassette or partial file. It grows under a separate name, so
    that it never takes the place of the partial file it may be made from.
    """

    def __init__(self, path: Path, *, copy: bool = False) -> None:
        self._format: Final[Format] = format_for(path)
        self._path = path
        self._head = b""
        self._size = 0
        self._count = 0
        with self._explained():
            # A symbolic link stays a link.
            self._target = Path(os.path.realpath(path))
            grown = self._target.with_stem(f"{self._target.stem}.copy") if copy else self._target
            self._partial = partial_of(grown)
            self._blobs = Blobs(self._target)
            for file in (self._target, self._partial):
                if file.exists() and not file.is_file():
                    message = f"{file.name} exists and is not a regular file"
                    raise CassetteWriteError(message, path=path)
            self._target.parent.mkdir(parents=True, exist_ok=True)
            self._handle: int | None = _open_exclusively(self._partial, path)
            self.left_open_at: Final = _remove_mark(self._partial)
            """Where the last recording was opened, if it was never closed."""

    def begin(self, header: Mapping[str, Plain]) -> None:
        """Write the header; events can follow."""
        if self._head:
            raise UsageError("this recording has already begun")
        head = self._format.header(header)
        with self._explained():
            os.ftruncate(self._open_handle(), 0)  # keep only the newest partial file
        self._write(head + self._format.event_start, 0)
        self._head = head

    def append(self, event: Mapping[str, Plain], *, is_plain: bool = False) -> None:
        """Write one event; afterwards, only a failure of the disk can lose it.

        An event of the codec is plain, and is not checked again.
        """
        if not self._head:
            raise UsageError("this recording has not begun")
        start = self._format.event_start
        data = self._format.event(event, is_plain=is_plain)
        if len(data) > LARGE:
            data = self._format.event(self._kept_apart(event), is_plain=is_plain)
        self._write(data[len(start) :] + start, 1)

    def grow(self, more: Mapping[str, Plain]) -> None:
        """Add keys to the last event, or items to its last list, where the format `grows`."""
        data = self._format.growth(more)
        if len(data) > LARGE:
            data = self._format.growth(self._kept_apart(more))
        start = self._format.event_start
        self._size -= len(start)
        os.lseek(self._open_handle(), self._size, os.SEEK_SET)
        try:
            self._write(data + start, 0)
        except BaseException:
            self._write(start, 0)  # the last event stays complete
            raise

    def holds(self, text: str) -> bool:
        """Whether the written part contains a text, without parsing it."""
        if not self._head:
            return False
        with self._explained(), open_regular(self._partial) as stream:
            return is_any_in(stream, _spellings(text)) or self._blobs.hold(text.encode())

    def rename(self, name: str) -> None:
        """Complete the cassette under another name, in the same folder."""
        self._path = self._path.with_name(name)
        self._target = self._target.with_name(name)
        with self._explained():
            self._blobs.move_to(self._target)

    def finish(self, header: Mapping[str, Plain], *, rewrite: Rewrite | None = None) -> None:
        """Complete the cassette and replace the target atomically.

        `rewrite` makes other entries of those that were written.
        """
        if not self._head:
            self.begin(header)
        head = self._format.header(header)
        end = self._format.end({file_layout.COUNT_KEY: self._count})
        handle = self._open_handle()
        with self._explained():
            if head == self._head and rewrite is None:
                self._complete(handle, end)
            else:
                self._complete_copy(head, end, rewrite)
            self._blobs.keep_mentioned()
            _sync_folder(self._target.parent)
        self._close()

    def abandon(self) -> Path | None:
        """Stop; return the path of the partial file, if it contains anything."""
        if self._handle is None:
            return None
        if os.fstat(self._handle).st_size == 0:
            with suppress(OSError):
                self._partial.unlink()
        self._close()
        return self._partial if self._head else None

    def mark_as_never_closed(self, place: str) -> None:
        """Note in the partial file that nothing closed the recording, which `place` opened."""
        if self._head and self._handle is not None:
            with suppress(OSError):
                _write_all(self._handle, NEVER_CLOSED + f"{place}\n".encode())
        self.abandon()

    def discard(self) -> None:
        """Stop and delete the partial file; for copies, whose original still exists."""
        if self._handle is not None:
            with suppress(OSError):
                self._partial.unlink()
                self._blobs.drop_added()
            self._close()

    def _kept_apart(self, data: Mapping[str, Plain]) -> dict[str, Plain]:
        """An event without its large data, which is now beside the cassette."""
        with self._explained():
            return {key: without_blobs(value, self._blobs.keep) for key, value in data.items()}

    def _write(self, data: bytes, events: int) -> None:
        """Add `data` as a whole or not at all."""
        handle = self._open_handle()
        try:
            _write_all(handle, data)
        except BaseException as error:
            _shorten(handle, self._size)
            if isinstance(error, OSError | ValueError):
                raise self._failed(error) from error
            raise
        self._size += len(data)
        self._count += events

    def _complete(self, handle: int, end: bytes) -> None:
        start = self._format.event_start
        body = self._size - len(start)
        try:
            os.lseek(handle, body, os.SEEK_SET)
            _write_all(handle, end)
            _seal(handle, self._target)
        except BaseException:
            _shorten(handle, body)
            with suppress(OSError):
                _write_all(handle, start)
            raise
        if sys.platform == "win32":  # which does not rename a file that is open
            self._close()
        os.replace(self._partial, self._target)

    def _complete_copy(self, head: bytes, end: bytes, rewrite: Rewrite | None) -> None:
        """Complete a copy with a different header or other entries.

        The lock on the partial covers it.
        """
        copy = self._partial.with_name(self._partial.name + ".copy")
        try:
            copy.unlink(missing_ok=True)
            with copy.open("xb") as out, self._partial.open("rb") as events:
                out.write(head)
                if rewrite is None:
                    self._copy(events, out)
                else:
                    entries = entries_of(events, self._path)
                    written = (entry for entry in entries if entry.kind == "event")
                    self._blobs.mentioned.clear()
                    count = 0
                    for entry in rewrite(islice(written, self._count)):
                        out.write(self._format.event(self._kept_apart(entry)))
                        count += 1
                    end = self._format.end({file_layout.COUNT_KEY: count})
                out.flush()
                _write_all(out.fileno(), end)
                _seal(out.fileno(), self._target)
            os.replace(copy, self._target)
        except BaseException:
            copy.unlink(missing_ok=True)
            raise
        if sys.platform == "win32":
            self._close()
        self._partial.unlink()

    def _copy(self, events: BinaryIO, out: BinaryIO) -> None:
        """Copy the written part, up to the start of the next event."""
        events.seek(len(self._head))
        shutil.copyfileobj(events, out, 1 << 20)
        out.flush()
        _shorten(out.fileno(), out.tell() - len(self._format.event_start))

    def _open_handle(self) -> int:
        if self._handle is None:
            raise UsageError("this recording is over")
        return self._handle

    def _close(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            if sys.platform != "win32":  # a forked child may hold the same lock
                fcntl.flock(handle, fcntl.LOCK_UN)
            os.close(handle)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> CassetteWriteError:
        message = f"cannot be written: {reason(error)}"
        if self._count and self._partial.exists():
            message += f"; {self._count} events are safe in {self._partial}"
        return CassetteWriteError(message, path=self._path)


def remove_cassette(path: Path) -> None:
    """Delete a cassette or a partial file, unless it is being recorded."""
    try:
        handle = os.open(path, os.O_RDWR)
        try:
            if not _lock(handle):
                raise CassetteWriteError("a recording of it is running", path=path)
            path.unlink()
            if not target_of(path).exists():
                shutil.rmtree(blobs_of(target_of(path)), ignore_errors=True)
        finally:
            os.close(handle)
    except OSError as error:
        raise CassetteWriteError(f"cannot be deleted: {reason(error)}", path=path) from error


def _open_exclusively(partial: Path, path: Path) -> int:
    """Open and lock the partial file, which may contain an interrupted recording."""
    while True:
        handle = os.open(partial, _FLAGS, 0o666)
        status = os.fstat(handle)
        if not _lock(handle):
            os.close(handle)
            raise CassetteBusyError("another recording of it is running", path=path)
        # Between opening and locking, the recording may have ended and renamed the file.
        try:
            ours = os.path.samestat(status, partial.lstat())
        except FileNotFoundError:
            ours = False
        if ours:
            return handle
        os.close(handle)


def _remove_mark(partial: Path) -> str:
    """Remove the mark of a recording that was never closed; return where it was opened."""
    with open_regular(partial) as stream:
        mark = never_closed_mark(stream)
    if mark is None:
        return ""
    os.truncate(partial, mark[0])
    return mark[1]


def _lock(handle: int) -> bool:
    if sys.platform != "win32":  # where a file that is open cannot be deleted anyway
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _write_all(handle: int, data: bytes) -> None:
    written = os.write(handle, data)
    while written < len(data):
        written += os.write(handle, memoryview(data)[written:])


def _shorten(handle: int, size: int) -> None:
    with suppress(OSError):
        os.ftruncate(handle, size)
        os.lseek(handle, size, os.SEEK_SET)


def _seal(handle: int, target: Path) -> None:
    """Sync the file, with the permissions of the replaced one."""
    if os.chmod in os.supports_fd:
        with suppress(FileNotFoundError):
            os.chmod(handle, stat.S_IMODE(target.stat().st_mode))
    os.fsync(handle)


def _sync_folder(folder: Path) -> None:
    # Otherwise a power cut could restore the old cassette. Not every system can sync a folder.
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _spellings(text: str) -> set[bytes]:
    """How a text may be spelled in a file."""
    # Formats escape characters as JSON does; the stored text may too.
    escaped = json.dumps(text)[1:-1]
    spellings = {text.encode(), escaped.encode(), json.dumps(escaped)[1:-1].encode()}
    # Binary data is base64: the text begins at any of three places in a group of four characters.
    for before in range(3):
        run = base64.b64encode(b"\0" * before + text.encode()).rstrip(b"=")
        spellings.add(run[before + (before > 0) : -1])
    return spellings
