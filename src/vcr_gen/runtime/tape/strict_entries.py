"""Turns an entry of a file into events, and refuses unknown keys and wrong values."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

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
    in_microseconds,
)

_START_KEYS = frozenset(
    {"call", "of", "on", "strand", "begins", "within", "inbound", "after", "rounds"}
    | {"timers", "at", "args"}
)


def unfold_strictly(entry: Mapping[str, Plain], *, path: Path, line: int) -> tuple[Event, ...]:
    """The events of an entry; raises for anything that does not belong there."""
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
        reader.allow("end", "strand", "at", "took", "at_call", outcome)
        end = End(
            call=reader.number("end"),
            outcome=outcome,
            value=entry[outcome],
            at_call=reader.at_call(outcome),
            strand=reader.text("strand"),
            at=reader.seconds("at"),
            took=reader.seconds_if_any("took"),
        )
        return (end,)
    return (_unfold_signal(reader),)


def _unfold_call(reader: "_Entry") -> tuple[Event, ...]:
    entry = reader.entry
    if "items" in entry or "next_at" in entry:
        return _unfold_stream(reader)
    ended = any(key in entry for key in ("took", *ENDS))
    reader.allow(*_START_KEYS, *(["took", "clock", "at_call", *ENDS] if ended else []))
    start = _unfold_start(reader)
    if not ended:
        return (start,)
    outcome = reader.outcome()
    took, clock = reader.seconds("took"), reader.seconds_if_any("clock")
    end = End(
        call=start.call,
        outcome=outcome,
        value=entry[outcome],
        at_call=reader.at_call(outcome),
        at=in_microseconds(start.at + took) if clock is None else clock,
        took=None if clock is None else took,
    )
    return start, end


def _unfold_stream(reader: "_Entry") -> tuple[Event, ...]:
    """A call with the items of its stream, and maybe its end."""
    entry = reader.entry
    ended = "ended_at" in entry
    own_keys = ("next_at", "items", "closed_at", *(["ended_at", "took", *ENDS] if ended else []))
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
        end = End(
            call=call,
            outcome=outcome,
            value=entry.get(outcome),
            at=reader.seconds("ended_at"),
            took=reader.seconds_if_any("took"),
        )
        events.append(end)
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

    def seconds_if_any(self, key: str) -> float | None:
        return self.seconds(key) if key in self.entry else None

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
