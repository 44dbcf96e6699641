"""Describes calls and events in words."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from vcr_gen.errors import RecordedEvent
from vcr_gen.runtime.failures.call_names import call_name
from vcr_gen.runtime.failures.format_values import cut, item_type, short_name, show, show_arguments
from vcr_gen.runtime.failures.signature_drift import declared_types
from vcr_gen.runtime.failures.text_diff import visible
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import hidden
from vcr_gen.runtime.tape.events import End, Event, Item, Signal, Start, kind_of
from vcr_gen.runtime.tape.object_origins import ENTER_BLOCK, LEAVE_BLOCK, Origin, Origins
from vcr_gen.runtime.tape.window import Slot

_VALUE: Final = 60
"""The maximum width of the value of an answer."""
_ORIGIN: Final = 50
"""The maximum width of the arguments that made a live object."""
_EXCEPTION: Final = 200
_STREAM: Final = re.compile(r"(?:\w+\.)*(?:Async)?(?:Iterator|Iterable|Generator)\b")
"""The declared result of a call that yields items."""
_KINDS: Final = {
    "awaitable": "awaitable",
    "callable": "function",
    "file": "file",
    "reader": "reader",
    "stream": "stream",
    "writer": "writer",
}
"""The kinds of live objects, by the beginning of their methods on the tape."""


_NOWHERE: Final[Mapping[str, int]] = {}
_USES: Final = {
    ENTER_BLOCK: "enter block",
    LEAVE_BLOCK: "leave block",
    "callable.call": "call",
    "awaitable.wait": "await",
}
"""The uses of live objects that are not named like their methods."""


def describe(
    slot: Slot,
    differing: Mapping[str, int] = _NOWHERE,
    typed: Callable[[Event, Start], tuple[Event, Start]] | None = None,
) -> RecordedEvent:
    """A recorded event for messages; differing fields come first."""
    boundary, _, method = member_of(slot.start, slot.origins).rpartition(".")
    event, start = (slot.event, slot.start) if typed is None else typed(slot.event, slot.start)
    what = words_of(event, start, slot.signature, differing, origins=slot.origins)
    return RecordedEvent(
        boundary=boundary, method=method, what=what, number=slot.number, line=slot.line
    )


def words_of(
    event: Event,
    start: Start,
    signature: str = "",
    differing: Mapping[str, int] = _NOWHERE,
    *,
    origins: Origins | None = None,
) -> str:
    """An event of a call on one line; `signature` gives the classes of its values."""
    types = declared_types(signature)
    result = types.get("return", "")
    call = _call(start, types, differing, origins)
    if isinstance(event, Start):
        return call
    kind = kind_of(event)
    if kind.value is None:
        return f"{call} {kind.doing}"
    if isinstance(event, End) and event.value is None and _STREAM.match(result):
        return f"{call} ending"
    declared = "" if isinstance(event, Signal) else result
    if isinstance(event, Item):
        declared = item_type(result)
    return f"{call} {kind.doing} {show(event.value, _VALUE, declared)}"


def title_of(start: Start, signature: str = "", origins: Origins | None = None) -> str:
    """The name of a call, as the subject of a sentence."""
    origin = None if origins is None else origins.of(start.on)
    if start.of in (ENTER_BLOCK, LEAVE_BLOCK):
        return f"the {'start' if start.of == ENTER_BLOCK else 'end'} of {_block(start, origin)}"
    kind = start.of.partition(".")[0]
    if origin is None or kind not in _KINDS:
        return call_name(start.of, start.arguments, signature)
    if origin.parameter:
        what = f"the {_KINDS[kind]} `{origin.parameter}` given to {origin.start.of}"
    else:
        what = f"the {_KINDS[kind]} that {origin.start.of} returned"
    if kind in ("awaitable", "callable", "stream"):
        return what
    return f"{start.of.partition('.')[2]}() of {what}"


def name_of(start: Start, signature: str = "", origins: Origins | None = None) -> str:
    """The name that groups calls: `Boundary.method`, or a use of an object that one returned."""
    member = member_of(start, origins)
    if member == start.of:
        return call_name(start.of, start.arguments, signature)
    origin = None if origins is None else origins.of(start.on)
    use = start.of.rpartition(".")[2]
    what = f" {origin.parameter}" if origin is not None and origin.parameter else ""
    return f"{member}{what}: {_USES.get(start.of, use)}"


def was_called(start: Start, signature: str, origins: Origins) -> str:
    """What the program did, as the beginning of a headline."""
    if start.of == LEAVE_BLOCK:
        exception = start.arguments.get("exception")
        how = "" if exception is None else f" with {show(exception, _VALUE)}"
        return f"{_block(start, origins.of(start.on))} ended{how}"
    if start.of == ENTER_BLOCK:
        return f"{_block(start, origins.of(start.on))} began"
    return f"{title_of(start, signature, origins)} was called"


def member_of(start: Start, origins: Origins | None = None) -> str:
    """`Boundary.method`; for a live object without a Protocol, of the call that brought it."""
    origin = None if origins is None else origins.of(start.on)
    is_unnamed = start.of.partition(".")[0] in (*_KINDS, "manager")
    return start.of if origin is None or not is_unnamed else origin.start.of


def object_words(on: str, origins: Origins) -> str:
    """A live object with the call that brought it."""
    origin = origins.of(on)
    return on if origin is None else f"{on} of {_brought(origin)}"


def _call(
    start: Start, types: Mapping[str, str], differing: Mapping[str, int], origins: Origins | None
) -> str:
    origin = None if origins is None else origins.of(start.on)
    if start.of == LEAVE_BLOCK:
        exception = start.arguments.get("exception")
        who = "" if exception is None else f"{show(exception, _VALUE)} "
        return f"{who}leaving {_block(start, origin)}"
    if start.of == ENTER_BLOCK:
        return f"entering {_block(start, origin)}"
    arguments = show_arguments(start.arguments, types, differing)
    kind = start.of.partition(".")[0]
    if origin is None or start.of not in ("awaitable.wait", "callable.call", "stream.iterate"):
        on = f" on {start.on}" if start.on else ""
        by = "" if origin is None else f" of {_brought(origin)}"
        return f"{start.of}({arguments}){on}{by}"
    if kind == "callable":
        values = ", ".join(show(value, _VALUE) for value in start.arguments.values())
        if origin.parameter:
            return f"{origin.parameter}({values}) of {origin.start.of}"
        return f"{_brought(origin)}({values})"
    return f"the {_KINDS[kind]} {_brought(origin)}"


def _block(start: Start, origin: Origin | None) -> str:
    """The block of a context manager, as the program spells it."""
    if origin is None:
        return f"the block of {start.on}"
    types = declared_types(origin.signature)
    declared = types.get(origin.parameter or "return", "")
    with_ = "async with" if "AsyncContextManager" in declared else "with"
    return f"the block `{with_} {origin.parameter or _brought(origin)}`"


def _brought(origin: Origin) -> str:
    """The call that returned a live object, or the parameter that it was passed as."""
    start = origin.start
    if origin.parameter:
        return f"`{origin.parameter}` of {start.of}"
    name = call_name(start.of, start.arguments, origin.signature)
    arguments = show_arguments(start.arguments, declared_types(origin.signature))
    return name if name != start.of else f"{name}({cut(arguments, _ORIGIN)})"


def exception_words(value: Plain) -> str:
    """An exception as Python prints it below a traceback: `LookupError: no tea`."""
    if not isinstance(value, dict):
        return show(value, _VALUE)
    name = short_name(str(value.get("$type", "an exception")))
    arguments = value.get("args")
    if not isinstance(arguments, list) or not arguments:
        return name
    first = arguments[0]
    if len(arguments) == 1:
        text = first if isinstance(first, str) else show(first)
    else:
        text = show(arguments)
    return cut(f"{name}: {visible(hidden(text))}", _EXCEPTION)


def did(event: Item | End | Signal) -> str:
    """What the application did."""
    kind = kind_of(event)
    return f"raised {exception_words(event.value)}" if kind.value == "raised" else kind.did


def how_it_differs(event: Item | End | Signal, recorded: Event) -> str:
    """What the application did, if only the value differs from the recording."""
    kind = kind_of(event)
    if kind.value == "raised":
        before = None if isinstance(recorded, Start) else recorded.value
        return f"raised {exception_words(event.value)}; the tape has {exception_words(before)}"
    return kind.did_differently or f"{kind.did} in a different way"


def left_block(called: Start, recorded: Mapping[str, Plain], origins: Origins) -> tuple[str, str]:
    """A headline and the likely cause where a block ended in a different way."""
    before, after = recorded.get("exception"), called.arguments.get("exception")
    block = _block(called, origins.of(called.on))
    now = "ended normally" if after is None else f"ended with {show(after, _VALUE)}"
    then = "it ended normally" if before is None else f"{show(before, _VALUE)} left it"
    if before is None:
        likely = "an exception now leaves the block"
    elif after is None:
        likely = "no exception leaves the block any more"
    else:
        likely = "a different exception leaves the block"
    return f"{block} {now}; in the recording {then}", likely
