"""The steps before a value is stored or compared: anchors, the user's hook, redaction."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar, final

from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Secrets, text_of
from vcr_gen.runtime.tape.event_hooks import Hook, Hooked
from vcr_gen.runtime.tape.events import (
    INTERNAL,
    End,
    Event,
    Happening,
    Item,
    Signal,
    Start,
    kind_of,
)
from vcr_gen.runtime.values.anchors import Anchors

_E = TypeVar("_E", bound=Item | Signal | End)


@final
class Screen:
    """Makes stored values of encoded ones: paths under anchors replaced, secrets taken out."""

    def __init__(
        self,
        secrets: Secrets,
        before_record: Hook | None = None,
        anchors: Anchors | None = None,
    ) -> None:
        self.secrets = secrets
        self._anchors = anchors or Anchors({})
        secrets.redactor.look_out_for(self._anchors.needles)
        self._hooked = None if before_record is None else Hooked("before_record", before_record)

    @property
    def has_hook(self) -> bool:
        """Whether `before_record` is shown every value."""
        return self._hooked is not None

    def arguments(self, of: str, arguments: Mapping[str, Plain]) -> Mapping[str, Plain]:
        """The arguments of a call as they are stored."""
        if of in INTERNAL or (not arguments and self._hooked is None):
            return arguments
        value: Plain = arguments if isinstance(arguments, dict) else dict(arguments)
        if self._stays(of, "call", value):
            return arguments
        made = self.secrets.redact(of, "call", self._hook(of, "call", self._anchors.store(value)))
        assert isinstance(made, dict)
        return made

    def value(self, of: str, kind: Happening, value: Plain) -> Plain:
        """The stored form of any other value of a call."""
        if self._stays(of, kind, value):
            return value
        return self.secrets.redact(of, kind, self._hook(of, kind, self._anchors.store(value)))

    def state(self, state: dict[str, Plain]) -> dict[str, Plain]:
        """The stored form of the initial state."""
        made = self.secrets.redactor.redact(self._anchors.store(state))
        assert isinstance(made, dict)
        return made

    def _stays(self, of: str, kind: Happening, value: Plain) -> bool:
        """Whether a value is stored as it is: it holds no secret and no path under an anchor."""
        return self._hooked is None and self.secrets.stays(of, kind, value)

    def event(self, event: _E, of: str) -> _E:
        """The compared form of an event in a replay."""
        kind = kind_of(event).value
        return event if kind is None else replace(event, value=self.value(of, kind, event.value))

    def recorded(self, event: Event, of: str) -> Event:
        """An event that was recorded before, as it would be stored now; texts of streams later."""
        if isinstance(event, Start):
            return replace(event, arguments=self.arguments(of, event.arguments))
        if isinstance(event, Item) and not event.raised:
            return replace(event, value=self.item(of, event.value))
        return self.event(event, of)

    def item(self, of: str, value: Plain) -> Plain:
        """An item of a stream; a text is not redacted yet, as the next one may continue with it."""
        value = self._hook(of, "item", self._anchors.store(value))
        return value if text_of(value) is not None else self.secrets.redact(of, "item", value)

    def _hook(self, of: str, kind: Happening, value: Plain) -> Plain:
        if self._hooked is None or of in INTERNAL:
            return value
        return self._hooked.change(of, kind, value)
