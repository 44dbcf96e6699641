"""The `vcr-gen` command: runs a subcommand and prints any failure as a message."""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

__all__ = ["main"]

_ERROR, _INTERRUPTED = 2, 130
_UNREAD = 141
"""128 + SIGPIPE: the reader closed the pipe before the command had its result."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code: 0 fine, 1 difference found, 2 error."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if isinstance(sys.stdout, TextIOWrapper):
        # A diff may hold characters that the terminal's encoding does not have.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        from vcr_gen.cli import commands  # imported here so that Ctrl-C is already handled

        code = commands.run(arguments)
        sys.stdout.flush()
    except SystemExit as stop:  # argparse, after it printed help or a usage error
        return stop.code if isinstance(stop.code, int) else _ERROR
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        from vcr_gen.cli.terminal import fall_silent

        fall_silent()
        return _UNREAD
    except BaseException as error:
        if os.environ.get("VCR_GEN_DEBUG"):
            raise
        from vcr_gen.cli.outcome import explain

        print(explain(error), file=sys.stderr)
        return _ERROR
    return code
