"""`vcr-gen --watch`: generates again whenever a source changes, until it is interrupted."""

import signal
from collections.abc import Callable
from contextlib import suppress

from vcr_gen.cli.failures import explain
from vcr_gen.cli.outcome import FINE
from vcr_gen.cli.terminal import Terminal
from vcr_gen.gen.diagnostics import RefusedError
from vcr_gen.gen.runs.watch import snapshot, wait_for_change
from vcr_gen.gen.settings.config import Config

__all__ = ["watch"]


def watch(read: Callable[[], Config], generate: Callable[[], int], terminal: Terminal) -> int:
    """Generate now and after every change; a run that fails is told, and the next one waits.

    What is watched follows the configuration, which may change too.
    """
    # A shell without job control lets its background commands ignore the signal of Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        config = read()
        while True:
            seen = snapshot(config)
            try:
                generate()
            except OSError as error:  # a file went away while it was read; the next run is soon
                terminal.note(explain(error))
            terminal.note("watching; stop with Ctrl-C")
            wait_for_change(config, seen)
            with suppress(RefusedError):  # which `generate` will tell
                config = read()
    except KeyboardInterrupt:
        return FINE
