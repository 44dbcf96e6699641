"""Output: data to stdout, everything else to stderr; tables, a progress bar."""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal, Self, TextIO, TypeAlias, TypeVar

OutputFormat: TypeAlias = Literal["text", "json", "github"]
OUTPUT_FORMATS: Final[tuple[OutputFormat, ...]] = ("text", "json", "github")
DOCUMENT_VERSION: Final = 1
"""Changes when a field of a JSON document is renamed, removed or changes its meaning."""

_T = TypeVar("_T")
_WIDTH: Final = 30
_REDRAWN: Final = 0.05
"""Seconds between two redraws of the bar, so that drawing costs almost nothing."""
_COLORS: Final = {"red": 31, "green": 32, "yellow": 33, "cyan": 36, "bold": 1, "dim": 2}


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add the output options that every command has."""
    formats = "json prints one document, github prints annotations for a workflow (default: text)"
    parser.add_argument("--output-format", choices=OUTPUT_FORMATS, default="text", help=formats)
    loudness = parser.add_mutually_exclusive_group()
    loudness.add_argument("-q", "--quiet", action="store_true", help="print results only")
    loudness.add_argument("-v", "--verbose", action="store_true", help="print more")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """The output of a command: verbosity and format."""

    output_format: OutputFormat = "text"
    quiet: bool = False
    verbose: bool = False

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Self:
        """A terminal with the verbosity and format of the options."""
        return cls(
            output_format=arguments.output_format,
            quiet=arguments.quiet,
            verbose=arguments.verbose,
        )

    def data(self, text: str) -> None:
        """Print the requested data to stdout."""
        sys.stdout.write(text if text.endswith("\n") or not text else f"{text}\n")

    def document(self, fields: Mapping[str, object]) -> None:
        """Print the requested data as one JSON document."""
        self.data(json.dumps({"version": DOCUMENT_VERSION, **fields}, indent=2))

    def note(self, text: str) -> None:
        """Print a message about the run to stderr."""
        if not self.quiet:
            sys.stdout.flush()
            print(text, file=sys.stderr)

    def detail(self, text: str) -> None:
        """Print a message that only `-v` shows."""
        if self.verbose:
            self.note(text)

    def paint(self, text: str, color: str, *, stream: TextIO | None = None) -> str:
        """The text in a colour, if the stream is a terminal and colours are not disabled."""
        stream = stream or sys.stdout
        if not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
            return text
        return f"\033[{_COLORS[color]}m{text}\033[0m"

    @contextmanager
    def progress(self, label: str) -> Iterator[Callable[[int, int], None]]:
        """A progress bar to call with `(done, total)`; silent unless stderr is a terminal."""
        if self.quiet or self.output_format != "text" or not sys.stderr.isatty():
            yield lambda *_: None
            return
        drawn = 0.0
        full, rest = "█░" if (sys.stderr.encoding or "").lower().startswith("utf") else "#."

        def draw(done: int, total: int) -> None:
            nonlocal drawn
            now = time.monotonic()
            if now - drawn < _REDRAWN and done < total:
                return
            drawn = now
            filled = _WIDTH * done // max(total, 1)
            bar = full * filled + rest * (_WIDTH - filled)
            sys.stderr.write(f"\r{label} {bar} {100 * done // max(total, 1)} %")
            sys.stderr.flush()

        try:
            yield draw
        finally:
            if drawn:
                sys.stderr.write("\r\033[K")
                sys.stderr.flush()

    def each(self, items: Sequence[_T], label: str) -> Iterator[_T]:
        """The items in turn, with a progress bar."""
        with self.progress(label) as draw:
            for done, item in enumerate(items):
                draw(done, len(items))
                yield item


def fall_silent() -> None:
    """Discard further output after its reader closed the pipe (`vcr-gen --list | head`).

    The interpreter would otherwise complain again when it flushes at exit.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(nowhere, stream.fileno())


def table(rows: Sequence[Sequence[str]], *, right: int = 0) -> str:
    """The rows with aligned columns; the first `right` columns are right-aligned."""
    if not rows:
        return ""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if number < right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def duration(seconds: float) -> str:
    """A duration with three significant digits."""
    if seconds >= 0.9995:
        return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:.0f} s"
    if seconds >= 0.0009995:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds * 1e6:.3g} µs"
