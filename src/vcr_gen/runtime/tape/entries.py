"""Turns events into entries of a file, and back.

A call that nothing interrupts is one entry, with the items of its stream; unknown keys are refused.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeGuard, cast, final

from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import hidden
from vcr_gen.runtime.tape.events import (
    ENDS,
    ROOT_STRAND,
    SIGNALS,
    End,
    Event,
    Item,
    Outcome,
    Signal,
    Soon,
    Start,
    kind_of,
)

__all__ = ["Append", "Folding", "Grow", "unfold"]

_START_KEYS = frozenset(
    {"call", "of", "on", "strand", "begins", "within", "inbound", "after", "rounds"}
    | {"timers", "at", "args"}
)
_MOST_ITEMS = 1000
"""How many items of a stream one entry may have: a reader holds an entry in memory."""

Append: TypeAlias = Callable[[Mapping[str, Plain]], None]
"""Writes an entry."""
Grow: TypeAlias = Callable[[Mapping[str, Plain]], None]
"""Adds keys, or items, to the last entry."""


@final
class Folding:
    """Writes events as entries of a file; a start waits for the next event.

    Without `grow`, each event of a stream is an entry.
    """

    def __init__(self, append: Append, grow: Grow | None = None) -> None:
        self._append = append
        self._grow = grow
        self._pending: Start | None = None
        self._asked: Signal | None = None
        """The request for the first item of the stream that waits with its start."""
        self._growing: int | None = None
        """The call of the last entry, if more of it can be added."""
        self._items = 0
        self._is_closed = False
        """Whether its consumer closed the stream: only its end can follow in the same entry."""

    def add(self, event: Event) -> None:
        """Write an event, and the start that waits for it."""
        pending = self._pending
        if pending is not None:
            if self._asked is None and _asks_first(event, pending):
                self._asked = event
                return
            started = _fold_start(pending, self._asked)
            folded = self._fold_with_next(pending, started, event)
            self._pending = self._asked = None
            if folded is not None:
                self._append(folded)
                return
            self._append(started)
        if isinstance(event, Start):
            self._growing = None
            self._pending = event
        else:
            self._add(event)

    def _fold_with_next(
        self, start: Start, started: dict[str, Plain], event: Event
    ) -> dict[str, Plain] | None:
        """One entry for a start and the event that follows it, if one can represent both."""
        if isinstance(event, End) and self._asked is None:
            return _fold_with_end(start, event)
        if self._grow is None or event.call != start.call or not _is_plain_item(event):
            return None
        self._growing, self._items, self._is_closed = event.call, 1, False
        return {**started, "items": [_fold_item(event)]}

    def _add(self, event: Item | Signal | End) -> None:
        more: dict[str, Plain] | None = None
        if self._growing == event.call and self._items < _MOST_ITEMS:
            more = None if self._is_closed and not isinstance(event, End) else _more_of(event)
        if more is None or self._grow is None:
            self._growing = None
            self._append(_fold_event(event))
            return
        self._items += 1
        self._is_closed = isinstance(event, Signal)
        if isinstance(event, End):
            self._growing = None
        self._grow(more)

    def close(self) -> None:
        """Write a start that still waits for its end."""
        pending, self._pending = self._pending, None
        if pending is not None:
            self._append(_fold_start(pending, self._asked))


def _fold_start(start: Start, asked: Signal | None) -> dict[str, Plain]:
    """The entry for a start, and for the request that came with it."""
    entry = _fold(start)
    return entry if asked is None else {**entry, "next_at": asked.at}


def _fold(start: Start) -> dict[str, Plain]:
    """The entry for a start."""
    entry: dict[str, Plain] = {"call": start.call, "of": start.of}
    if start.on:
        entry["on"] = start.on
    if start.inbound:
        entry["inbound"] = True
    if start.strand != ROOT_STRAND:
        entry["strand"] = start.strand
    if start.begins:
        entry["begins"] = start.begins
    if start.within is not None:
        entry["within"] = start.within
    if start.soon is not None:
        entry["after"], entry["rounds"] = start.soon
    if start.timers:
        entry["timers"] = list(start.timers)
    entry["at"] = start.at
    if start.arguments:
        entry["args"] = cast("dict[str, Plain]", start.arguments)
    return entry


def _fold_with_end(start: Start, end: End) -> dict[str, Plain] | None:
    """One entry for a start and its end; None if one entry cannot represent both."""
    took = round(end.at - start.at, 6)
    if start.call != end.call or end.strand or round(start.at + took, 6) != end.at:
        return None
    entry = _fold(start)
    entry["took"] = took
    if end.at_call:
        entry["at_call"] = True
    entry[end.outcome] = end.value
    return entry


def _asks_first(event: Event, start: Start) -> TypeGuard[Signal]:
    """Whether the environment asks for the first item of a stream that it has just called for."""
    if not isinstance(event, Signal) or event.kind != "next":
        return False
    return event.call == start.call and event.strand == start.strand


def _is_plain_item(event: Event) -> TypeGuard[Item]:
    """Whether an item says nothing but its value and its time."""
    if not isinstance(event, Item) or event.raised:
        return False
    return not event.strand and not event.begins


def _fold_item(item: Item) -> dict[str, Plain]:
    """An item of a stream in the entry of its call; the keys of a mapping stand beside its time."""
    value = item.value
    if type(value) is dict and value and not any(map(_needs_value, value)):
        return {"at": item.at, **value}
    return {"at": item.at, "value": value}


def _needs_value(key: str) -> bool:
    return key in ("at", "value") or key[:1] == "$"


def _more_of(event: Item | Signal | End) -> dict[str, Plain] | None:
    """What an event adds to the entry of its call; None if the entry cannot represent it."""
    if event.strand:
        return None
    if _is_plain_item(event):
        return {"items": [_fold_item(event)]}
    if isinstance(event, Signal):
        return {"closed_at": event.at} if event.kind == "closed" else None
    if isinstance(event, End) and not event.at_call:
        is_usual = event.outcome == "returned" and event.value is None
        return {"ended_at": event.at} | ({} if is_usual else {event.outcome: event.value})
    return None


def _fold_event(event: Item | Signal | End) -> dict[str, Plain]:
    """The entry for an event of a call that has begun."""
    word = event.kind if isinstance(event, Signal) else "item" if isinstance(event, Item) else "end"
    entry: dict[str, Plain] = {word: event.call}
    if event.strand:
        entry["strand"] = event.strand
    if isinstance(event, Item) and event.begins:
        entry["begins"] = event.begins
    entry["at"] = event.at
    if isinstance(event, End):
        if event.at_call:
            entry["at_call"] = True
        entry[event.outcome] = event.value
    elif kind_of(event).value is not None:
        entry["raised" if isinstance(event, Item) and event.raised else "value"] = event.value
    return entry


def unfold(entry: Mapping[str, Plain], *, path: Path, line: int) -> tuple[Event, ...]:
    """The events of an entry of the file; unknown keys are refused."""
    unfold_usual = _USUAL.get(tuple(entry))
    if unfold_usual is not None:
        usual = unfold_usual(entry)
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


# The common entries, by their keys; None for one with anything unusual, which is read strictly ---


def _usual_start(entry: Mapping[str, Plain]) -> Start | None:
    call, of, at = entry["call"], entry["of"], entry["at"]
    arguments = entry.get("args", {})
    if (
        type(call) is int
        and call >= 0
        and type(of) is str
        and of
        and type(at) is float
        and at >= 0
        and type(arguments) is dict
    ):
        return Start(call=call, of=of, arguments=arguments, at=at)
    return None


def _usual_begin(entry: Mapping[str, Plain]) -> tuple[Start] | None:
    start = _usual_start(entry)
    return None if start is None else (start,)


def _usual_call(entry: Mapping[str, Plain]) -> tuple[Start, End] | None:
    start, took = _usual_start(entry), entry["took"]
    if start is None or type(took) is not float or took < 0:
        return None
    at = round(start.at + took, 6)
    return start, End(call=start.call, outcome="returned", value=entry["returned"], at=at)


def _usual_stream(entry: Mapping[str, Plain]) -> tuple[Event, ...] | None:
    start, items, ended_at = _usual_start(entry), entry["items"], entry["ended_at"]
    if start is None or type(items) is not list or type(ended_at) is not float or ended_at < 0:
        return None
    call = start.call
    events: list[Event] = [start]
    for item in items:
        if type(item) is not dict or len(item) < 2:
            return None
        at = item.get("at")
        if type(at) is not float or at < 0:
            return None
        if "value" not in item:
            value: Plain = {key: each for key, each in item.items() if key != "at"}
        elif len(item) == 2:
            value = item["value"]
        else:
            return None
        events.append(Item(call=call, value=value, at=at))
    events.append(End(call=call, outcome="returned", at=ended_at))
    return tuple(events)


def _usual_item(entry: Mapping[str, Plain]) -> tuple[Item] | None:
    call, at = entry["item"], entry["at"]
    if type(call) is int and call >= 0 and type(at) is float and at >= 0:
        return (Item(call=call, value=entry["value"], at=at),)
    return None


def _usual_end(entry: Mapping[str, Plain]) -> tuple[End] | None:
    call, at = entry["end"], entry["at"]
    if type(call) is int and call >= 0 and type(at) is float and at >= 0:
        return (End(call=call, outcome="returned", value=entry["returned"], at=at),)
    return None


_USUAL: dict[tuple[str, ...], Callable[[Mapping[str, Plain]], tuple[Event, ...] | None]] = {
    ("call", "of", "at", "args", "took", "returned"): _usual_call,
    ("call", "of", "at", "took", "returned"): _usual_call,
    ("call", "of", "at", "args", "items", "ended_at"): _usual_stream,
    ("call", "of", "at", "args"): _usual_begin,
    ("item", "at", "value"): _usual_item,
    ("end", "at", "returned"): _usual_end,
}


def _unfold_call(reader: "_Entry") -> tuple[Event, ...]:
    entry = reader.entry
    if "items" in entry or "next_at" in entry:
        return _unfold_stream(reader)
    ended = any(key in entry for key in ("took", *ENDS))
    reader.allow(*_START_KEYS, *(["took", "at_call", *ENDS] if ended else []))
    start = _unfold_start(reader)
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


def _unfold_stream(reader: "_Entry") -> tuple[Event, ...]:
    """A call with the items of its stream, and maybe its end."""
    entry = reader.entry
    ended = "ended_at" in entry
    own_keys = ("next_at", "items", "closed_at", *(["ended_at", *ENDS] if ended else []))
    reader.allow(*_START_KEYS, *own_keys)
    start = _unfold_start(reader)
    events: list[Event] = [start]
    call = start.call
    if "next_at" in entry:
        at = reader.seconds("next_at")
        events.append(Signal(call=call, kind="next", strand=start.strand, at=at))
    items = entry.get("items", [])
    if not isinstance(items, list):
        raise reader.wrong("items", "a list")
    for item in items:
        if not isinstance(item, dict):
            raise reader.wrong("items", "`at` and `value` in each")
        fields = _Entry(item, reader.path, reader.line)
        fields.required("at")
        value: Plain = {key: each for key, each in item.items() if key != "at"}
        if "value" in item or not value:
            fields.allow("at", "value")
            value = fields.required("value")
        events.append(Item(call=call, value=value, at=fields.seconds("at")))
    if "closed_at" in entry:
        events.append(Signal(call=call, kind="closed", at=reader.seconds("closed_at")))
    if ended:
        outcome = reader.outcome() if any(key in entry for key in ENDS) else "returned"
        value = entry.get(outcome)
        events.append(End(call=call, outcome=outcome, value=value, at=reader.seconds("ended_at")))
    return tuple(events)


def _unfold_start(reader: "_Entry") -> Start:
    entry = reader.entry
    arguments = entry.get("args", {})
    if not isinstance(arguments, dict):
        raise reader.wrong("args", "a mapping")
    within = reader.number("within") if "within" in entry else None
    soon = Soon(reader.number("after"), reader.number("rounds")) if "after" in entry else None
    return Start(
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


def _unfold_signal(reader: "_Entry") -> Signal:
    kinds = [kind for kind in SIGNALS if kind in reader.entry]
    if len(kinds) != 1:
        keys = ", ".join(reader.entry) or "nothing"
        raise reader.error(
            "expected an event (call, next, item, sent, thrown, closed, cancel, left, end);"
            f" got {keys}"
        )
    kind = kinds[0]
    is_bare = SIGNALS[kind].value is None
    reader.allow(kind, "strand", "at", *([] if is_bare else ["value"]))
    return Signal(
        call=reader.number(kind),
        kind=kind,
        value=None if is_bare else reader.required("value"),
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
            raise self.error("`at_call` is allowed only with `raised`")
        return self.flag("at_call")

    def outcome(self) -> Outcome:
        outcomes = [word for word in ENDS if word in self.entry]
        if len(outcomes) != 1:
            raise self.error("expected one of returned, raised or cancelled")
        if outcomes[0] == "cancelled" and self.entry["cancelled"] is not None:
            raise self.wrong("cancelled", "nothing")
        return outcomes[0]
