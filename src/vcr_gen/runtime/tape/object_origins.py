"""Where live objects came from: on the tape they have only a number."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, final

from vcr_gen.runtime.codec.tags import LIVE
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import Event, Signal, Start

ENTER_BLOCK: Final = "manager.enter"
LEAVE_BLOCK: Final = "manager.exit"
"""The names on the tape for entering and leaving a `with` block."""


@final
@dataclass(frozen=True, slots=True)
class Origin:
    """The call that brought a live object."""

    start: Start
    signature: str
    """The recorded signature of its method; empty if unknown."""
    parameter: str = ""
    """The parameter that it was passed as; empty if the call returned or yielded it."""


@final
class Origins:
    """The origins of the live objects of one tape.

    `unread` are its events, each with its call and signature; they are read when an unknown object
    is asked for.
    """

    def __init__(self, unread: Iterable[tuple[Event, Start, str]] = ()) -> None:
        self._unread: Iterator[tuple[Event, Start, str]] = iter(unread)
        self._known: dict[str, Origin] = {}

    def note(self, event: Event, start: Start, signature: str) -> None:
        """Remember what an event of a call brings."""
        if isinstance(event, Start):
            for name, value in event.arguments.items():
                self._note(value, Origin(start, signature, name))
        elif not isinstance(event, Signal):
            entered = self._known.get(start.on) if start.of == ENTER_BLOCK else None
            self._note(event.value, entered or Origin(start, signature))

    def of(self, on: str) -> Origin | None:
        """The origin of the object that calls name as `#3`; None if it is unknown."""
        if on[:1] == "#" and on not in self._known:
            for recorded in self._unread:  # to the end, which closes the file
                self.note(*recorded)
        return self._known.get(on)

    def _note(self, value: Plain, origin: Origin) -> None:
        for number in _live_in(value):
            self._known.setdefault(f"#{number}", origin)


def _live_in(value: Plain) -> Iterator[Plain]:
    """The numbers of the live objects in a value."""
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending += part
        elif isinstance(part, dict):
            if len(part) == 1 and not LIVE.keys().isdisjoint(part):
                yield from part.values()
            else:
                pending += part.values()
