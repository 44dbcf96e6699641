"""The dependents of an outbound call: callbacks, and calls that came in while it ran.

Where calls may be made in any order, these travel with their call: its progress, its log, and what
the environment asked before it answered.
"""

from collections.abc import Iterator
from typing import Any, Final, final

from vcr_gen.runtime.codec.tags import FUNCTIONS
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import End, Start
from vcr_gen.runtime.tape.window import Slot, Window

_EARLIER: Final = 0
"""A call that began before the one that is looked at."""


@final
class Dependents:
    """The events that belong to each call that is under way, found once per call."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._known: dict[int, list[Slot]] = {}

    def before(self, begun: Slot, following: Slot | None) -> list[Slot]:
        """The pending dependents of a call before its next event."""
        call = begun.start.call
        if call not in self._known:
            self._known[call] = list(self._find(begun))
        left = self._known[call] = [slot for slot in self._known[call] if not slot.done]
        return [slot for slot in left if following is None or slot.index < following.index]

    def forget(self, call: int) -> None:
        """The call is over."""
        self._known.pop(call, None)

    def _find(self, begun: Slot) -> Iterator[Slot]:
        """A callback belongs to the call that passed the function; others to the last active one.

        That is the call under way that began last, or was called back last.
        """
        call = begun.start.call
        passed_by = dict.fromkeys(_functions_in(begun.start.arguments), call)
        own: set[int] = set()
        opened, active = [call], call
        for slot in self._window.since(begun):
            event = slot.event
            if event.call in own:
                yield slot
            elif isinstance(event, Start) and not event.inbound:
                opened.append(event.call)
                active = event.call
                passed_by.update(dict.fromkeys(_functions_in(event.arguments), active))
            elif isinstance(event, Start):
                if event.on.startswith("#"):
                    active = passed_by.get(event.on, _EARLIER)
                if active == call:
                    own.add(event.call)
                    yield slot
            elif isinstance(event, End) and event.call in opened:
                if event.call == call:
                    return
                opened.remove(event.call)
                active = opened[-1] if active == event.call else active


def _functions_in(value: Any | Plain) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key in FUNCTIONS:
                yield f"#{item}"
            else:
                yield from _functions_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from _functions_in(item)
