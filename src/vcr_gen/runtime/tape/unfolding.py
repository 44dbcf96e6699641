"""Turns entries of a file back into events, the usual entries at once and others strictly."""

from collections.abc import Callable, Mapping
from pathlib import Path

from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import End, Event, Item, Start, in_microseconds
from vcr_gen.runtime.tape.strict_entries import unfold_strictly


def unfold(entry: Mapping[str, Plain], *, path: Path, line: int) -> tuple[Event, ...]:
    """The events of an entry of the file; unknown keys are refused."""
    unfold_usual = _USUAL.get(tuple(entry))
    if unfold_usual is not None:
        usual = unfold_usual(entry)
        if usual is not None:
            return usual
    return unfold_strictly(entry, path=path, line=line)


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
    at = in_microseconds(start.at + took)
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
