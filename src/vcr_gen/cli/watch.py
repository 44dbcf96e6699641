"""`vcr-gen --watch`: generates again whenever a source changes, until it is interrupted."""

import signal
from collections.abc import Callable

from vcr_gen.cli.report import FINE
from vcr_gen.cli.terminal import Terminal
from vcr_gen.gen.config import Config
from vcr_gen.gen.watch import snapshot, wait_for_change

__all__ = ["watch"]


def watch(config: Config, generate: Callable[[], int], terminal: Terminal) -> int:
    """Generate now and after every change; a run that fails is told, and the next one waits."""
    # A shell without job control lets its background commands ignore the signal of Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        seen = snapshot(config)
        generate()
        while True:
            terminal.note("watching; stop with Ctrl-C")
            seen = wait_for_change(config, seen)
            generate()
    except KeyboardInterrupt:
        return FINE
