"""Events in words."""

from vcr_gen.errors import RecordedEvent
from vcr_gen.runtime.failures.show import show, show_arguments
from vcr_gen.runtime.tape.events import End, Event, Item, Signal, Start
from vcr_gen.runtime.tape.window import Slot

__all__ = ["describe", "did", "did_otherwise", "words_of"]

_VALUE = 60
"""So wide is the value of an answer shown."""
_ENDINGS = {"returned": "returning", "raised": "raising"}
_SIGNALS = {
    "next": "being asked for an item",
    "sent": "being sent",
    "thrown": "being thrown",
    "closed": "being closed",
    "cancel": "being cancelled",
    "left": "being left by a reader that was cancelled",
}
_DID = {"sent": "sent a value into the stream", "thrown": "threw into the stream"}


def describe(slot: Slot) -> RecordedEvent:
    """A recorded event, as messages name it."""
    boundary, _, method = slot.start.of.rpartition(".")
    what = words_of(slot.event, slot.start)
    return RecordedEvent(
        boundary=boundary, method=method, what=what, number=slot.number, line=slot.line
    )


def words_of(event: Event, start: Start) -> str:
    """An event of a call in one line."""
    call = f"{start.of}({show_arguments(start.arguments)})"
    if start.on:
        call += f" on {start.on}"
    match event:
        case Start():
            return call
        case Item(raised=raised):
            return f"{call} {'raising' if raised else 'giving'} {show(event.value, _VALUE)}"
        case Signal(kind="sent" | "thrown"):
            return f"{call} {_SIGNALS[event.kind]} {show(event.value, _VALUE)}"
        case Signal():
            return f"{call} {_SIGNALS[event.kind]}"
        case End(outcome="cancelled"):
            return f"{call} being cancelled"
        case End():
            return f"{call} {_ENDINGS[event.outcome]} {show(event.value, _VALUE)}"


def did(event: Item | End | Signal) -> str:
    """What the application did."""
    match event:
        case Item(raised=False):
            return "gave an item"
        case Item():
            return "raised"
        case End(outcome="cancelled"):
            return "was cancelled"
        case End(outcome=outcome):
            return outcome
        case Signal(kind=kind):
            return _DID.get(kind, "closed the stream")


def did_otherwise(event: Item | End | Signal) -> str:
    """What the application did, where the tape has the same with another value."""
    match event:
        case Item(raised=False):
            return "gave another item than recorded"
        case Item():
            return "raised another exception than recorded"
        case End(outcome="returned"):
            return "returned another value than recorded"
        case End():
            return "raised another exception than recorded"
        case Signal(kind="sent"):
            return "sent another value into the stream than recorded"
        case Signal():
            return f"{did(event)} otherwise than recorded"
