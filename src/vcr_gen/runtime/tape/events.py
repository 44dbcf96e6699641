"""The events of a session, in one total order: the content of the tape.

A call is a *start* and an *end* that share a number. Between them, in their true places, stand the
items of its stream and whatever else happened. The file folds a start and the end that follows it
at once into one entry, and leaves out what is the default, so that a sequential session reads
plainly. A table gives for every kind of event the side that drives it, its value and its wording.

Events are never changed. They are not frozen, as that triples the cost of creating one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from vcr_gen.runtime.plain import Plain

ROOT_STRAND = "0"
"""The strand that opened the cassette."""

JOB = "executor.job"
"""The name on the tape of a job that a loop passes to an executor."""
LOCK = "thread.lock"
"""The name on old tapes of a lock that goes to a different thread; a replay ignores it."""
CLOCK = "loop.clock"
"""The name on the tape of a loop's clock that advances while the program runs."""
INTERNAL = frozenset({CLOCK, JOB, LOCK})
"""Calls that record order and time, and need not be repeated."""

Outcome: TypeAlias = Literal["returned", "raised", "cancelled"]
SignalKind: TypeAlias = Literal["next", "sent", "thrown", "closed", "cancel", "left"]


class Soon(NamedTuple):
    """How soon a callback followed a call, if the loop was not idle in between."""

    after: int
    """The call: an unfinished one, or a previous callback."""
    rounds: int
    """The number of loop iterations."""


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Start:
    """A call begins."""

    call: int
    """The number of the call, which all of its events share."""
    of: str
    """`Boundary.method`."""
    arguments: Mapping[str, Plain]
    on: str = ""
    """The handle it is made on (`#7`), or which of several wrappers (`Shell~2`, `Shell~name`)."""
    strand: str = ROOT_STRAND
    """The strand that made it."""
    begins: str = ""
    """For the first call of a thread or of a pool's job: what identifies it."""
    within: int | None = None
    """The enclosing inbound call or callback."""
    inbound: bool = False
    """Whether the environment made the call."""
    soon: Soon | None = None
    """The position of a callback that did not wait for its turn."""
    timers: tuple[float, ...] = ()
    """The remaining time of timers that were set before the first call."""
    at: float = 0.0
    """Seconds since the session began."""


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Item:
    """A stream yields its next item."""

    call: int
    value: Plain
    raised: bool = False
    """Whether it is an exception, after which the stream may continue."""
    strand: str = ""
    begins: str = ""
    """For the first event of a thread or of a pool's job: what identifies it."""
    at: float = 0.0


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Signal:
    """The caller sends a signal to a running call.

    It asks an application's stream for the next item, sends a value into a stream, throws an
    exception, closes it, cancels a call, or is cancelled itself while the stream continues.
    """

    call: int
    kind: SignalKind
    value: Plain = None
    strand: str = ""
    at: float = 0.0


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class End:
    """A call is over."""

    call: int
    outcome: Outcome
    value: Plain = None
    at_call: bool = False
    """Whether the call itself raised, instead of returning a stream or an awaitable."""
    strand: str = ""
    at: float = 0.0
    took: float | None = None
    """Real seconds since the start, if the loop's clock says something else; it stands still while
    the program blocks the loop."""

    def seconds_since(self, start: Start) -> float:
        """How long the call really took."""
        return max(0.0, in_microseconds(self.at - start.at)) if self.took is None else self.took


Event: TypeAlias = Start | Item | Signal | End

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


def in_microseconds(seconds: float) -> float:
    """A time as the tape has it: in whole microseconds. Several times faster than `round`."""
    return round(seconds * 1e6) / 1e6


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
    if type(event) is Start:
        return not start.inbound
    if type(event) is Item:
        return start.inbound
    driver = kind_of(event).driver
    return driver == ("callee" if start.inbound else "caller")
