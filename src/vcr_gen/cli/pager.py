"""Long output on a terminal goes through the pager that its user chose; never in a pipe."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper

__all__ = ["paged"]


class _Page(TextIOWrapper):
    """The way to the pager: what is shown there may be coloured as on the terminal itself."""

    def isatty(self) -> bool:
        """A person looks at it."""
        return True


@contextmanager
def paged(*, wanted: bool = True) -> Iterator[None]:
    """Show what the body prints page by page, where standard output is a terminal.

    `PAGER` names the pager, `cat` or nothing none; without it, `less` if there is one.
    """
    command = _command() if wanted and sys.stdout.isatty() else []
    if not command:
        yield
        return
    terminal = sys.stdout
    terminal.flush()
    # As git does: quit when all fits on the screen, keep colours, leave the screen as it is.
    environment = {"LESS": "FRX", "LV": "-c", **os.environ}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as pager:
        assert pager.stdin is not None
        page = _Page(pager.stdin, encoding="utf-8", errors="backslashreplace")
        sys.stdout = page
        try:
            yield
        except BrokenPipeError:  # the reader has seen enough
            pass
        finally:
            sys.stdout = terminal
            with suppress(BrokenPipeError):
                page.close()


def _command() -> list[str]:
    chosen = os.environ.get("PAGER", "less")
    try:
        words = shlex.split(chosen)
    except ValueError:
        return []
    if not words or words == ["cat"] or shutil.which(words[0]) is None:
        return []
    return words
