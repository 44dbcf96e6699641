"""Finds, inspects and writes cassette files for the cassette commands."""

import argparse
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcr_gen.cassette_tools.migration import Recorded
from vcr_gen.errors import CassetteError, CassetteMissingError, UsageError
from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.runtime.formats import Entry, format_for
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.reading import (
    entries_of,
    is_partial,
    open_regular,
    read_events,
    target_of,
)
from vcr_gen.runtime.tape.recording import Recording

# The first bytes of every cassette; a folder may contain other YAML and JSON files.
_STARTS: Final = (b"vcr-gen:", b'"vcr-gen":', b"'vcr-gen':", b'{"vcr-gen"', b'{ "vcr-gen"')


@dataclass(frozen=True, slots=True)
class Inspection:
    """The result of reading one file to its end or to its first problem."""

    path: Path
    partial: bool
    header: dict[str, Plain] | None
    events: int
    """The number of complete events."""
    called: frozenset[str]
    """The methods that were called: `Boundary.method`."""
    problem: CassetteError | None
    torn: bool
    """Whether the file is damaged, rather than its content wrong."""


def add_paths(parser: argparse.ArgumentParser) -> None:
    """Add the files and folders that an action works on."""
    parser.add_argument(
        "paths",
        nargs="*",
        type=Path,
        default=[Path()],
        help="files and folders (default: current folder)",
    )


def diagnostic_of(error: CassetteError) -> Diagnostic:
    """The problem of a cassette at its place."""
    return Diagnostic(str(error.path), error.line or 0, 0, "", error.message, "")


def find_cassettes(paths: Sequence[Path], *, partial: bool = True) -> list[Path]:
    """The given files, and every cassette and partial file in the given folders."""
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise CassetteMissingError("no such file or folder", path=path)
        if path.is_dir():
            found.extend(file for file in _in_folder(path) if partial or not is_partial(file))
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def inspect_cassette(path: Path) -> Inspection:
    """Read and check a whole file; keep its header and counts only."""
    header: dict[str, Plain] | None = None
    events = 0
    called: set[str] = set()
    problem: CassetteError | None = None
    torn = True

    def whole(entries: Iterator[Entry]) -> Iterator[Entry]:
        nonlocal header, events, torn
        for entry in entries:
            torn = False  # a failure of the consumer is not a failure of the file
            if entry.kind == "header":
                header = entry.data
                Header.read(header, path)
            elif entry.kind == "event":
                events += 1
                yield entry
            torn = True

    try:
        with open_regular(path) as stream:
            for recorded in read_events(whole(entries_of(stream, path)), path):
                called.add(recorded.start.of)
    except CassetteError as error:
        problem = error
    return Inspection(path, is_partial(path), header, events, frozenset(called), problem, torn)


def recorded_by(inspection: Inspection) -> Recorded:
    """The boundaries and signatures of an inspected cassette."""
    data = inspection.header or {}
    boundaries = data.get("boundaries")
    names = list(boundaries) if isinstance(boundaries, dict) else []
    return Recorded(names, Header.read(data, inspection.path).signatures, inspection.called)


def _in_folder(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (path for name in sorted(files) if _is_looked_at(path := Path(place, name)))


def is_cassette(path: Path) -> bool:
    """Whether a file is a cassette or a partial one, judged by its name and first bytes."""
    return _begins(path).startswith(_STARTS)


def _is_looked_at(path: Path) -> bool:
    """Whether to include a file of a folder, also one that is truncated in its first bytes."""
    return is_cassette(path) or (is_partial(path) and not _begins(path))


def _begins(path: Path) -> bytes:
    """The first bytes of a readable file with a cassette's suffix."""
    try:
        format_for(target_of(path))
        with open_regular(path) as stream:
            start = stream.read(4096)
    except CassetteError:
        return b"not a cassette"
    return start.removeprefix(b"\xef\xbb\xbf").removeprefix(b"---").lstrip()


def refuse_existing(target: Path, *, force: bool) -> None:
    """Raise if the target exists and `--force` was not given."""
    if target.exists() and not force:
        raise UsageError(f"{target} already exists\n  hint: --force replaces it")


def write_cassette(
    target: Path, header: Mapping[str, Plain], events: Iterable[Mapping[str, Plain]]
) -> int:
    """Write the events, which may come from the replaced file, and return their number."""
    recording = Recording(target, copy=True)
    count = 0
    try:
        recording.begin(header)
        for event in events:
            recording.append(event)
            count += 1
        recording.finish(header)
    except BaseException:
        recording.discard()
        raise
    return count
