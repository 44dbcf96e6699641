"""What is on the tape: the events of a session, in one total order.

A call is a *start* and an *end* that share a number. Between them, in their true places, stand the
items of its stream and whatever else happened. The file folds a start and the end that follows it
at once into one entry, and leaves out what is the default, so that a sequential session reads
plainly.

Events are never changed. They are not frozen, as that triples the cost of creating one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from vcr_gen.runtime.plain import Plain

__all__ = [
    "CLOCK",
    "INTERNAL",
    "JOB",
    "LOCK",
    "ROOT_STRAND",
    "End",
    "Event",
    "Item",
    "Outcome",
    "Signal",
    "SignalKind",
    "Soon",
    "Start",
]

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
    """The handle the call is made on (`#7`), or which of several wrappers (`Shell~2`)."""
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


Event: TypeAlias = Start | Item | Signal | End
