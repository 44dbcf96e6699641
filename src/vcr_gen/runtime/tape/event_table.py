"""The table of tape events: which side drives each kind, its value, and its wording."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from vcr_gen.runtime.tape.events import End, Event, Item, Outcome, Signal, SignalKind, Start

__all__ = [
    "ENDS",
    "SIGNALS",
    "Driver",
    "EventKind",
    "Happening",
    "driven_by_application",
    "kind_of",
]

Driver: TypeAlias = Literal["caller", "callee", "environment"]
Happening: TypeAlias = Literal["call", "item", "sent", "thrown", "returned", "raised"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventKind:
    """The properties of all events of one kind."""

    driver: Driver
    """The side that drives it: the caller, the callee, or the environment in both directions."""
    value: Happening | None = None
    """The name of its value for hooks and redaction; None if it has no value.

    The arguments of a call and every other value are compared by the declared type. Where there is
    no value, the kind of the event is all that is compared.
    """
    doing: str = ""
    """The event in a message about a call: `Api.get(…) returning 3`."""
    did: str = ""
    """What the application did, in a headline."""
    did_differently: str = ""
    """The same, if only the value differs from the recording."""
    shown: str = ""
    """The event in the overview of a cassette."""


_CALL: Final = EventKind(driver="caller", value="call")
_ITEM: Final = EventKind(
    driver="callee",
    value="item",
    doing="yielding",
    did="yielded an item",
    did_differently="yielded a different item",
)
_RAISED_ITEM: Final = EventKind(
    driver="callee", value="raised", doing="raising", did="raised", shown="raised "
)
SIGNALS: Final[dict[SignalKind, EventKind]] = {
    "next": EventKind(
        driver="caller",
        doing="being asked for an item",
        did="closed the stream",
        shown="asks for the next item",
    ),
    "sent": EventKind(
        driver="caller",
        value="sent",
        doing="being sent",
        did="sent a value into the stream",
        did_differently="sent a different value into the stream",
        shown="is sent",
    ),
    "thrown": EventKind(
        driver="caller",
        value="thrown",
        doing="being thrown",
        did="threw an exception into the stream",
        did_differently="threw an exception into the stream in a different way",
        shown="is thrown",
    ),
    "closed": EventKind(
        driver="caller", doing="being closed", did="closed the stream", shown="is closed"
    ),
    "cancel": EventKind(
        driver="caller",
        doing="being cancelled",
        did="closed the stream",
        shown="is cancelled by its caller",
    ),
    "left": EventKind(
        driver="environment",
        doing="losing a reader that was cancelled",
        did="closed the stream",
        shown="loses a reader that was cancelled",
    ),
}
ENDS: Final[dict[Outcome, EventKind]] = {
    "returned": EventKind(
        driver="callee",
        value="returned",
        doing="returning",
        did="returned",
        did_differently="returned a different value",
    ),
    "raised": EventKind(driver="callee", value="raised", doing="raising", did="raised"),
    "cancelled": EventKind(
        driver="environment",
        doing="being cancelled",
        did="was cancelled",
        did_differently="returned a different value",
    ),
}


def kind_of(event: Event) -> EventKind:
    """The row of the table for an event."""
    if isinstance(event, Start):
        return _CALL
    if isinstance(event, End):
        return ENDS[event.outcome]
    if isinstance(event, Signal):
        return SIGNALS[event.kind]
    assert isinstance(event, Item)
    return _RAISED_ITEM if event.raised else _ITEM


def driven_by_application(event: Event, start: Start) -> bool:
    """Whether the application makes an event of a call happen, rather than the environment."""
    driver = kind_of(event).driver
    return driver == ("callee" if start.inbound else "caller")
