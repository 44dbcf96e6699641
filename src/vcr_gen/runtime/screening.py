"""What every event passes before it is stored or compared: the user's hook, then redaction."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, TypeVar, final

from vcr_gen.errors import UsageError
from vcr_gen.runtime.plain import Plain, check_plain
from vcr_gen.runtime.redaction import Secrets
from vcr_gen.runtime.tape.events import INTERNAL, End, Event, Item, Signal, Start
from vcr_gen.runtime.tape.holding import text_of

__all__ = ["Hook", "Hooked", "Screen", "TapeEvent"]

_E = TypeVar("_E", bound=Item | Signal | End)
Happening: TypeAlias = Literal["call", "item", "sent", "thrown", "returned", "raised"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TapeEvent:
    """One event with a value, as `before_record` and `before_replay` are shown it."""

    boundary: str
    """The name of the boundary."""
    method: str
    """The method that was called."""
    kind: Happening
    """What happened: the call itself, an item of its stream, its result, …"""
    number: int
    """How many events of this kind the method has had, this one included."""
    value: Plain = field(repr=False)
    """The value in its stored form, not redacted yet; of a call, the arguments by name."""


Hook: TypeAlias = Callable[[TapeEvent], Plain]
"""Gets an event, and gives the value that is to stand in its place."""


@final
class Hooked:
    """Shows events to a hook of the user, each once."""

    def __init__(self, name: str, hook: Hook) -> None:
        self._name = name
        self._hook = hook
        self._counts: dict[tuple[str, Happening], int] = {}
        self._lock = threading.Lock()

    def change(self, of: str, kind: Happening, value: Plain) -> Plain:
        """What the hook makes of a value."""
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
        """The event with what the hook makes of its value."""
        if isinstance(event, Start):
            made = self.change(of, "call", dict(event.arguments))
            assert isinstance(made, dict)
            return replace(event, arguments=made)
        kind = kind_of(event)
        return event if kind is None else replace(event, value=self.change(of, kind, event.value))


@final
class Screen:
    """Takes out of the values of a session what must not be stored."""

    def __init__(self, secrets: Secrets, before_record: Hook | None = None) -> None:
        self.secrets = secrets
        self._hooked = None if before_record is None else Hooked("before_record", before_record)

    def arguments(self, of: str, arguments: Mapping[str, Plain]) -> Mapping[str, Plain]:
        """The arguments of a call as they are stored."""
        if of in INTERNAL or (not arguments and self._hooked is None):
            return arguments
        value: Plain = dict(arguments)
        if self._hooked is not None:
            value = self._hooked.change(of, "call", value)
        made = self.secrets.redact(of, "call", value)
        assert isinstance(made, dict)
        return made

    def value(self, of: str, kind: Happening, value: Plain) -> Plain:
        """Any other value of a call as it is stored."""
        return self.secrets.redact(of, kind, self._hook(of, kind, value))

    def event(self, event: _E, of: str) -> _E:
        """An event of a replay as it is compared."""
        kind = kind_of(event)
        return event if kind is None else replace(event, value=self.value(of, kind, event.value))

    def recorded(self, event: Event, of: str) -> Event:
        """An event that was recorded before, as it would be stored now; texts of streams later."""
        if isinstance(event, Start):
            return replace(event, arguments=self.arguments(of, event.arguments))
        if isinstance(event, Item) and not event.raised:
            return replace(event, value=self.item(of, event.value))
        return self.event(event, of)

    def item(self, of: str, value: Plain) -> Plain:
        """An item of a stream; a text is not redacted yet, as the next one may go on with it."""
        value = self._hook(of, "item", value)
        return value if text_of(value) is not None else self.secrets.redact(of, "item", value)

    def _hook(self, of: str, kind: Happening, value: Plain) -> Plain:
        if self._hooked is None or of in INTERNAL:
            return value
        return self._hooked.change(of, kind, value)


def kind_of(event: Item | Signal | End) -> Happening | None:
    """What happened, in the words of the hooks; None for an event without a value."""
    match event:
        case Item(raised=raised):
            return "raised" if raised else "item"
        case Signal(kind="sent" | "thrown" as kind):
            return kind
        case End(outcome="returned" | "raised" as outcome):
            return outcome
        case _:
            return None
