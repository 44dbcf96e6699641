"""Events in words."""

from vcr_gen.errors import RecordedEvent
from vcr_gen.runtime.events import End, Event, Item, Signal, Start
from vcr_gen.runtime.show import show, show_arguments
from vcr_gen.runtime.window import Slot

__all__ = ["describe", "did", "did_otherwise"]

_OUTCOMES = {"returned": "returned", "raised": "raised", "cancelled": "was cancelled"}
_SIGNALS = {"sent": "sent a value into", "thrown": "threw into", "closed": "closed"}


def describe(slot: Slot) -> RecordedEvent:
    """A recorded event, as messages name it."""
    boundary, _, method = slot.start.of.rpartition(".")
    what = _words(slot.event, slot.start.of)
    return RecordedEvent(
        boundary=boundary, method=method, what=what, number=slot.number, line=slot.line
    )


def _words(event: Event, name: str) -> str:
    match event:
        case Start():
            return f"{name}({show_arguments(event.arguments)})"
        case Item():
            return f"{name} giving {show(event.value)}"
        case Signal():
            return f"{name} {event.kind}"
        case End(outcome="cancelled"):
            return f"{name} cancelled"
        case End():
            return f"{name} that {event.outcome} {show(event.value)}"


def did(event: Item | End | Signal, *, with_value: bool = False) -> str:
    """What the application did."""
    match event:
        case Item():
            words = "gave an item"
        case End(outcome=outcome):
            words = _OUTCOMES[outcome]
        case Signal(kind=kind):
            words = f"{_SIGNALS.get(kind, kind)} a stream"
    return f"{words} {show(event.value)}" if with_value else words


def did_otherwise(event: Item | End | Signal) -> str:
    """What the application did, where the tape has the same with another value."""
    match event:
        case Item():
            return "gave another item than recorded"
        case End(outcome="returned"):
            return "returned another value than recorded"
        case End():
            return "raised another exception than recorded"
        case Signal():
            return f"{did(event)} otherwise than recorded"
