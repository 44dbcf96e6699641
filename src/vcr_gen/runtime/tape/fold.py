"""Makes entries of events: a start and the end that follows it at once become one."""

from collections.abc import Callable, Mapping
from typing import final

from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import End, Event, Start, fold, foldable, plain_of

__all__ = ["Folding"]


@final
class Folding:
    """Writes events as the entries of a file; a start waits for what comes next."""

    def __init__(self, append: Callable[[Mapping[str, Plain]], None]) -> None:
        self._append = append
        self._pending: Start | None = None

    def add(self, event: Event) -> None:
        """Write an event, and the start that waited for it."""
        pending = self._pending
        if pending is not None:
            self._pending = None
            if isinstance(event, End) and foldable(pending, event):
                self._append(fold(pending, event))
                return
            self._append(fold(pending, None))
        if isinstance(event, Start):
            self._pending = event
        else:
            self._append(plain_of(event))

    def close(self) -> None:
        """Write a start that still waits for its end."""
        pending, self._pending = self._pending, None
        if pending is not None:
            self._append(fold(pending, None))
