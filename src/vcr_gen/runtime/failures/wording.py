"""Describes calls and events in words."""

import re
from collections.abc import Collection, Mapping
from typing import Final

from vcr_gen.errors import RecordedEvent
from vcr_gen.runtime.failures.format_values import cut, item_type, short_name, show, show_arguments
from vcr_gen.runtime.failures.signature_drift import declared_types
from vcr_gen.runtime.failures.text_diff import visible
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import hidden
from vcr_gen.runtime.tape.events import End, Event, Item, Signal, Start, kind_of
from vcr_gen.runtime.tape.window import Slot

__all__ = [
    "LEAVE_BLOCK",
    "describe",
    "did",
    "exception_words",
    "how_it_differs",
    "left_block",
    "words_of",
]


ENTER_BLOCK: Final = "manager.enter"
LEAVE_BLOCK: Final = "manager.exit"
"""The names on the tape for entering and leaving a `with` block."""

_VALUE = 60
"""The maximum width of the value of an answer."""
_EXCEPTION = 200
_STREAM: Final = re.compile(r"(?:\w+\.)*(?:Async)?(?:Iterator|Iterable|Generator)\b")
"""The declared result of a call that yields items."""


def describe(slot: Slot, differing: Collection[str] = ()) -> RecordedEvent:
    """A recorded event for messages; differing fields come first."""
    boundary, _, method = slot.start.of.rpartition(".")
    what = words_of(slot.event, slot.start, slot.signature, differing)
    return RecordedEvent(
        boundary=boundary, method=method, what=what, number=slot.number, line=slot.line
    )


def words_of(
    event: Event, start: Start, signature: str = "", differing: Collection[str] = ()
) -> str:
    """An event of a call on one line; `signature` gives the classes of its values."""
    types = declared_types(signature)
    result = types.get("return", "")
    call = _call(start, types, differing)
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


def _call(start: Start, types: Mapping[str, str], differing: Collection[str]) -> str:
    on = f" on {start.on}" if start.on else ""
    if start.of == LEAVE_BLOCK:
        exception = start.arguments.get("exception")
        how = "" if exception is None else f" with {show(exception, _VALUE)}"
        return f"leaving the block of {start.on}{how}"
    if start.of == ENTER_BLOCK:
        return f"entering the block of {start.on}"
    return f"{start.of}({show_arguments(start.arguments, types, differing)}){on}"


def exception_words(value: Plain) -> str:
    """An exception as Python prints it below a traceback: `LookupError: no tea`."""
    if not isinstance(value, dict):
        return show(value, _VALUE)
    name = short_name(str(value.get("$type", "an exception")))
    arguments = value.get("args")
    if not isinstance(arguments, list) or not arguments:
        return name
    first = arguments[0]
    text = first if len(arguments) == 1 and isinstance(first, str) else show(arguments)
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


def left_block(
    title: str, recorded: Mapping[str, Plain], actual: Mapping[str, Plain]
) -> tuple[str, str, str]:
    """The method that returned the context manager, a headline, and the likely cause.

    On the tape, leaving a block is a call of `manager.exit`, which no program makes."""
    found = re.search(r"the (?:context manager|file) that (\S+) returned", title)
    method = found[1] if found else "manager.exit"
    block = f"the block `with {method}()`" if found else f"the block of {title}"
    before, after = recorded.get("exception"), actual.get("exception")
    now = "ended normally" if after is None else f"ended with {show(after, 60)}"
    then = "it ended normally" if before is None else f"{show(before, 60)} left it"
    if before is None:
        likely = "an exception now leaves the block"
    elif after is None:
        likely = "no exception leaves the block any more"
    else:
        likely = "a different exception leaves the block"
    return method, f"{block} {now}; in the recording {then}", likely
