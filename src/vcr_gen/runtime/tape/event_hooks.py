"""Passes the events of a tape to the user's `before_record` and `before_replay`."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias, final

from vcr_gen.errors import UsageError
from vcr_gen.runtime.plain import Plain, check_plain
from vcr_gen.runtime.tape.events import Event, Happening, Start, kind_of


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TapeEvent:
    """An event with a value, the argument of `before_record` and `before_replay`."""

    boundary: str
    """The name of the boundary."""
    method: str
    """The method that was called."""
    kind: Happening
    """What happened: the call itself, an item of its stream, its result, …"""
    number: int
    """The number of events of this kind of the method so far, including this one."""
    value: Plain = field(repr=False)
    """The value in its stored form, before redaction; for a call, the arguments by name."""


Hook: TypeAlias = Callable[[TapeEvent], Plain]
"""Gets an event, and returns the value that replaces its value."""


@final
class Hooked:
    """Calls a hook of the user with each event once."""

    def __init__(self, name: str, hook: Hook) -> None:
        self._name = name
        self._hook = hook
        self._counts: dict[tuple[str, Happening], int] = {}
        self._lock = threading.Lock()

    def change(self, of: str, kind: Happening, value: Plain) -> Plain:
        """The value that the hook returns."""
        with self._lock:
            number = self._counts[of, kind] = self._counts.get((of, kind), 0) + 1
        boundary, _, method = of.rpartition(".")
        event = TapeEvent(boundary=boundary, method=method, kind=kind, number=number, value=value)
        made = self._hook(event)
        check_plain(made)
        if kind == "call" and not isinstance(made, dict):
            raise UsageError(f"{self._name} must give the arguments of {of} as a mapping")
        return made

    def event(self, event: Event, of: str) -> Event:
        """The event with the value that the hook returns."""
        if isinstance(event, Start):
            made = self.change(of, "call", dict(event.arguments))
            assert isinstance(made, dict)
            return replace(event, arguments=made)
        kind = kind_of(event).value
        return event if kind is None else replace(event, value=self.change(of, kind, event.value))
