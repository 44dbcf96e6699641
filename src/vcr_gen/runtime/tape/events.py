"""What is on the tape: the events of a session, in one total order.

A call is a *start* and an *end* that share a number. Between them, in their true places, stand the
items of its stream and whatever else happened. The file folds a start and the end that follows it
at once into one entry, and leaves out what is the default, so that a sequential session reads
plainly.

Events are never changed. They are not frozen, as that triples the cost of creating one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import hidden

__all__ = [
    "BARE_SIGNALS",
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
    "Start",
    "unfold",
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

_START_KEYS = frozenset(
    {"call", "of", "on", "strand", "begins", "within", "inbound", "after", "rounds"}
    | {"timers", "at", "args"}
)
_OUTCOMES: tuple[Outcome, ...] = ("returned", "raised", "cancelled")
_SIGNALS: tuple[SignalKind, ...] = ("next", "sent", "thrown", "closed", "cancel", "left")
BARE_SIGNALS: tuple[SignalKind, ...] = ("next", "closed", "cancel", "left")


_USUAL_CALLS = (
    ("call", "of", "at", "args", "took", "returned"),
    ("call", "of", "at", "took", "returned"),
)


def unfold(entry: Mapping[str, Plain], *, path: Path, line: int) -> tuple[Event, ...]:
    """The events of an entry of the file; unknown keys are refused."""
    keys = tuple(entry)
    if keys in _USUAL_CALLS:
        usual = _usual_call(entry)
        if usual is not None:
            return usual
    reader = _Entry(entry, path, line)
    if "call" in entry:
        return _unfold_call(reader)
    if "item" in entry:
        key = "raised" if "raised" in entry else "value"
        reader.allow("item", "strand", "begins", "at", key)
        item = Item(
            call=reader.number("item"),
            value=reader.required(key),
            raised=key == "raised",
            strand=reader.text("strand"),
            begins=reader.text("begins"),
            at=reader.seconds("at"),
        )
        return (item,)
    if "end" in entry:
        outcome = reader.outcome()
        reader.allow("end", "strand", "at", "at_call", outcome)
        end = End(
            call=reader.number("end"),
            outcome=outcome,
            value=entry[outcome],
            at_call=reader.at_call(outcome),
            strand=reader.text("strand"),
            at=reader.seconds("at"),
        )
        return (end,)
    return (_unfold_signal(reader),)


def _usual_call(entry: Mapping[str, Plain]) -> tuple[Start, End] | None:
    """The common case of a call that returned at once; None for any other entry."""
    call, of, at, took = entry["call"], entry["of"], entry["at"], entry["took"]
    arguments = entry.get("args", {})
    if (
        type(call) is int
        and call >= 0
        and type(of) is str
        and of
        and type(at) is float
        and at >= 0
        and type(took) is float
        and took >= 0
        and type(arguments) is dict
    ):
        start = Start(call=call, of=of, arguments=arguments, at=at)
        value = entry["returned"]
        return start, End(call=call, outcome="returned", value=value, at=round(at + took, 6))
    return None


def _unfold_call(reader: "_Entry") -> tuple[Event, ...]:
    entry = reader.entry
    ended = any(key in entry for key in ("took", *_OUTCOMES))
    reader.allow(*_START_KEYS, *(["took", "at_call", *_OUTCOMES] if ended else []))
    arguments = entry.get("args", {})
    if not isinstance(arguments, dict):
        raise reader.wrong("args", "a mapping")
    within = reader.number("within") if "within" in entry else None
    soon = Soon(reader.number("after"), reader.number("rounds")) if "after" in entry else None
    start = Start(
        call=reader.number("call"),
        of=reader.text("of", required=True),
        arguments=arguments,
        on=reader.text("on"),
        strand=reader.text("strand") or ROOT_STRAND,
        begins=reader.text("begins"),
        within=within,
        inbound=reader.flag("inbound"),
        soon=soon,
        timers=reader.timers(),
        at=reader.seconds("at"),
    )
    if not ended:
        return (start,)
    outcome = reader.outcome()
    end = End(
        call=start.call,
        outcome=outcome,
        value=entry[outcome],
        at_call=reader.at_call(outcome),
        at=round(start.at + reader.seconds("took"), 6),
    )
    return start, end


def _unfold_signal(reader: "_Entry") -> Signal:
    kinds = [kind for kind in _SIGNALS if kind in reader.entry]
    if len(kinds) != 1:
        keys = ", ".join(reader.entry) or "nothing"
        raise reader.error(
            "expected an event (call, next, item, sent, thrown, closed, cancel, left, end);"
            f" got {keys}"
        )
    kind = kinds[0]
    reader.allow(kind, "strand", "at", *([] if kind in BARE_SIGNALS else ["value"]))
    return Signal(
        call=reader.number(kind),
        kind=kind,
        value=None if kind in BARE_SIGNALS else reader.required("value"),
        strand=reader.text("strand"),
        at=reader.seconds("at"),
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of the file with its location, read strictly."""

    entry: Mapping[str, Plain]
    path: Path
    line: int

    def error(self, message: str) -> CassetteFormatError:
        return CassetteFormatError(message, path=self.path, line=self.line)

    def wrong(self, key: str, expected: str) -> CassetteFormatError:
        return self.error(
            f"`{key}`: expected {expected}; got {hidden(repr(self.entry.get(key))):.80}"
        )

    def allow(self, *keys: str) -> None:
        for key in self.entry:
            if key not in keys:
                raise self.error(f"unknown key `{key}` in an event")

    def required(self, key: str) -> Plain:
        if key not in self.entry:
            raise self.error(f"`{key}` is missing")
        return self.entry[key]

    def number(self, key: str) -> int:
        value = self.required(key)
        if type(value) is not int or value < 0:
            raise self.wrong(key, "a call number")
        return value

    def text(self, key: str, *, required: bool = False) -> str:
        value = self.required(key) if required else self.entry.get(key, "")
        if not isinstance(value, str) or (required and not value):
            raise self.wrong(key, "text")
        return value

    def flag(self, key: str) -> bool:
        value = self.entry.get(key, False)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value

    def seconds(self, key: str) -> float:
        value = self.entry.get(key, 0.0)
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise self.wrong(key, "seconds")
        return float(value)

    def timers(self) -> tuple[float, ...]:
        value = self.entry.get("timers", [])
        if not isinstance(value, list) or not all(type(rest) in (int, float) for rest in value):
            raise self.wrong("timers", "a list of seconds")
        return tuple(float(rest) for rest in value if isinstance(rest, int | float))

    def at_call(self, outcome: Outcome) -> bool:
        if self.flag("at_call") and outcome != "raised":
            raise self.error("`at_call` is said only of what has raised")
        return self.flag("at_call")

    def outcome(self) -> Outcome:
        outcomes = [word for word in _OUTCOMES if word in self.entry]
        if len(outcomes) != 1:
            raise self.error("expected one of returned, raised or cancelled")
        if outcomes[0] == "cancelled" and self.entry["cancelled"] is not None:
            raise self.wrong("cancelled", "nothing")
        return outcomes[0]
