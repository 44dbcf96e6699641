"""A progress line on the terminal for a long recording."""

import os
import sys
import time
from pathlib import Path
from typing import Final, TextIO, final

if sys.platform != "win32":
    import termios

__all__ = ["StatusLine", "status_line"]

_PATIENCE: Final = 1.0
"""Seconds in which nothing is said: a short recording needs no line."""
_REDRAWN: Final = 0.2


@final
class StatusLine:
    """The number of events so far, drawn over itself now and then."""

    def __init__(self, what: str, stream: TextIO) -> None:
        self._what = what
        self._stream = stream
        self._due = time.monotonic() + _PATIENCE
        self._drawn = False

    def tell(self, events: int) -> None:
        """Show the number of events so far."""
        now = time.monotonic()
        if now >= self._due:
            self._due = now + _REDRAWN
            if _is_cooked(self._stream):
                self._drawn = True
                # Move the cursor back, so that the program's output replaces the line.
                self._write(f"\r\033[K{self._what}: {events} events\r")

    def clear(self) -> None:
        """It is over: leave nothing behind."""
        if self._drawn:
            self._drawn = False
            self._write("\r\033[K")

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # the terminal is gone; the recording is not
            self._due = float("inf")


def status_line(verb: str, path: Path) -> StatusLine | None:
    """The progress line of a session, if stderr is a terminal and it is not disabled."""
    stream = sys.stderr
    if os.environ.get("VCR_GEN_PROGRESS") == "0" or os.environ.get("TERM") == "dumb":
        return None
    try:
        if not stream.isatty():
            return None
    except (AttributeError, ValueError):  # there is none, or it is closed
        return None
    return StatusLine(f"{verb} {path.name}", stream)


def _is_cooked(stream: TextIO) -> bool:
    """Whether the terminal is an ordinary one, and not in the hands of a full-screen program."""
    if sys.platform == "win32":
        return True
    try:
        return bool(termios.tcgetattr(stream.fileno())[3] & termios.ICANON)
    except (termios.error, OSError, ValueError):
        return False
