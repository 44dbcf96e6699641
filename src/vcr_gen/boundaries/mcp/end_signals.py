"""Signals that end a recording."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def ended_by_signals(end: Callable[[], object]) -> Iterator[None]:
    """Call `end` on a signal: in the running loop, and on the main thread when that is left.

    The loop wakes up for a signal that comes just before it waits; a handler of Python's own
    would only be called when it has something else to do.
    """
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, end)
    try:
        yield
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
            signal.signal(number, lambda *_: end())
