"""Divergences in words: what differs, where, since when, and what to do about it."""

import abc
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import final

from vcr_gen.errors import Divergence
from vcr_gen.runtime.events import End, Event, Item, Signal, Start
from vcr_gen.runtime.history import signature_change
from vcr_gen.runtime.matching import Expectation
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.session import Operation
from vcr_gen.runtime.show import show, show_arguments, show_difference
from vcr_gen.runtime.spec import Boundary
from vcr_gen.runtime.waiting import Waiter
from vcr_gen.runtime.window import Slot, Window

__all__ = ["Reporter", "describe"]

_PACKAGE = str(Path(__file__).resolve().parent.parent) + "/"
_NEAREST = 3


@final
class Reporter:
    """Makes divergences from what the player sees."""

    def __init__(
        self, path: Path, recorded: Mapping[str, str], boundaries: Mapping[str, Boundary]
    ) -> None:
        self._path = path
        self._recorded = recorded
        self._boundaries = boundaries

    def call(
        self,
        operation: Operation,
        stored: Mapping[str, Plain],
        found: Expectation,
        window: Window,
    ) -> Divergence:
        """The application made another call than recorded."""
        name = operation.bound.method.name
        slot = found.slot
        later = [other for other in _starts_ahead(window) if other is not slot]
        exact = [other for other in later if self._is_same(other, operation, stored)]
        if slot is None:
            headline = f"{name} was called, but the tape has no more calls"
            likely = "a call was added, or one before it was repeated"
        elif not isinstance(slot.event, Start):
            headline = f"{name} was called where the tape has {describe(slot)}"
            likely = "a call was added"
        elif slot.event.of != name:
            headline = f"{name} was called where the tape has {slot.event.of}"
            likely = (
                f"calls were reordered, or {slot.event.of} was dropped"
                if exact
                else "a call was added"
            )
        else:
            headline = f"{name} was called with other arguments than recorded"
            likely = "the calls were reordered" if exact else "an argument changed"
        change = signature_change(name, self._recorded.get(name), self._signature(name))
        return self._divergence(
            headline,
            name,
            slot,
            window,
            differences=(
                tuple(show_difference(difference) for difference in found.differences)
                if slot is not None and isinstance(slot.event, Start) and slot.event.of == name
                else (f"called: {name}({show_arguments(stored)})",)
            ),
            nearest=tuple(describe(other) for other in (exact or _of(later, name))[:_NEAREST]),
            likely=change or likely,
        )

    def answer(
        self, call: int, event: Item | End | Signal, found: Expectation, window: Window
    ) -> Divergence:
        """The application answered an inbound call, or used a stream, otherwise than recorded.

        Who answered has left its frames; those that are left, the loop's and the driver's, would
        only mislead as a call site.
        """
        slot = found.slot
        doing = _doing(event)
        if slot is None:
            headline = f"the application {doing} where the tape has nothing more"
            return self._divergence(headline, "", None, window, likely="something was added")
        name = slot.start.of
        if slot.event.call == call and type(slot.event) is type(event):
            same_end = not (
                isinstance(event, End)
                and isinstance(slot.event, End)
                and slot.event.outcome != event.outcome
            )
            other = f"{doing} instead of what is recorded: {describe(slot)}"
            return self._divergence(
                f"{name}: the application {_doing_otherwise(event) if same_end else other}",
                name,
                slot,
                window,
                differences=tuple(show_difference(difference) for difference in found.differences),
                likely="the application's answer changed",
                site=isinstance(event, Signal),
            )
        due = window.next_of_call(call)
        answering = f"{due.start.of}: " if due is not None else ""
        return self._divergence(
            f"{answering}the application {doing} where the tape has {describe(slot)}",
            name,
            slot,
            window,
            differences=(f"actual: {show(event.value)}",),
            likely=f"{slot.start.of} was dropped" if isinstance(slot.event, Start) else "",
            site=isinstance(event, Signal),
        )

    def cancelled(self, slot: Slot, window: Window) -> Divergence:
        """The application cancelled a call that was not cancelled in the recording."""
        found = self._divergence(
            f"{slot.start.of} was cancelled, but in the recording it came to its end",
            slot.start.of,
            slot,
            window,
            likely="a time-out became shorter, or a task is cancelled earlier",
        )
        return replace(found, cancellation=True)

    def another_inbound(self, of: str, slot: Slot, window: Window) -> Divergence:
        """A driver asked for another inbound call than the one that is due."""
        return self._divergence(
            f"{of} was asked for where the tape has {describe(slot)}",
            of,
            slot,
            window,
            likely="the driver feeds the calls in another order",
        )

    def stall(self, window: Window, waiters: Iterable[Waiter]) -> Divergence:
        """Nothing can move any more."""
        head = window.head()
        waiting = tuple(self._waiting(waiter) for waiter in waiters)
        if head is None:
            headline = "the program waits for an answer that the recording does not have"
            likely = "the recording stopped while the call was in flight"
        elif isinstance(head.event, Start) and head.event.inbound:
            headline = f"the tape has an inbound call, {describe(head)}, and nobody takes it"
            likely = "no Driver runs for this boundary"
        elif head.driven_by_application:
            headline = f"the program stopped before {describe(head)}"
            likely = f"{head.start.of} was dropped, or something before it waits for ever"
        else:
            headline = f"nobody waits for {describe(head)}"
            likely = "a call is no longer awaited, or a stream no longer read"
        return self._divergence(
            headline,
            head.start.of if head is not None else "",
            head,
            window,
            waiting=waiting,
            likely=likely,
            site=False,
        )

    def text(self, divergence: Divergence) -> str:
        """The whole message."""
        return "\n".join(_lines(divergence))

    def place(self, slot: Slot) -> str:
        """Where a recorded event stands."""
        return f"{self._path}:{slot.line}"

    def _divergence(
        self,
        headline: str,
        name: str,
        slot: Slot | None,
        window: Window,
        *,
        differences: tuple[str, ...] = (),
        nearest: tuple[str, ...] = (),
        waiting: tuple[str, ...] = (),
        likely: str = "",
        site: bool = True,
    ) -> Divergence:
        boundary, _, method = name.rpartition(".")
        return Divergence(
            headline=headline,
            boundary=boundary,
            method=method,
            event=slot.number if slot is not None else None,
            place=self.place(slot) if slot is not None else str(self._path),
            differences=differences,
            nearest=nearest,
            call_site=self._site(sys._getframe(1)) if site else "",
            done=tuple(describe(done) for done in window.recent),
            due=describe(slot) if slot is not None else "the end of the tape",
            waiting=waiting,
            likely=likely,
            hint="if the change is meant, record again: VCR_RECORD=1 and the same test",
        )

    def _is_same(self, slot: Slot, operation: Operation, stored: Mapping[str, Plain]) -> bool:
        event = slot.event
        return (
            isinstance(event, Start)
            and event.of == operation.bound.method.name
            and event.arguments == stored
        )

    def _waiting(self, waiter: Waiter) -> str:
        place = next(filter(None, map(self._site_of, waiter.frames())), "")
        return f"{waiter.name} waits for call {waiter.call}" + (f" at {place}" if place else "")

    def _site(self, frame: FrameType | None) -> str:
        while frame is not None:
            if site := self._site_of(frame):
                return site
            frame = frame.f_back
        return ""

    def _site_of(self, frame: FrameType) -> str:
        """The line of a frame, if it is the application's."""
        file = frame.f_code.co_filename
        module = frame.f_globals.get("__name__")
        ours = file.startswith(_PACKAGE) or self._is_generated(module)
        if ours or file.startswith("<") or _is_standard(file):
            return ""
        return f"{file}:{frame.f_lineno} in {frame.f_code.co_name}"

    def _is_generated(self, module: object) -> bool:
        """Whether a module holds wrappers: its frames are not the application's."""
        return any(known.wrapper.__module__ == module for known in self._boundaries.values())

    def _signature(self, name: str) -> str | None:
        boundary, _, key = name.partition(".")
        known = self._boundaries.get(boundary)
        return None if known is None else known.signatures().get(key)


def _is_standard(file: str) -> bool:
    return file.startswith(_STANDARD) and "site-packages" not in file


def _starts_ahead(window: Window) -> list[Slot]:
    return [slot for slot in window.ahead(50) if isinstance(slot.event, Start)]


def _of(slots: Collection[Slot], name: str) -> list[Slot]:
    return [slot for slot in slots if slot.start.of == name]


def _doing(event: Item | End | Signal) -> str:
    match event:
        case Item():
            return "gave an item"
        case End(outcome=outcome):
            return {"returned": "returned", "raised": "raised", "cancelled": "was cancelled"}[
                outcome
            ]
        case Signal(kind=kind):
            words = {"sent": "sent a value into", "thrown": "threw into", "closed": "closed"}
            return f"{words.get(kind, kind)} a stream"


def _doing_otherwise(event: Item | End | Signal) -> str:
    match event:
        case Item():
            return "gave another item than recorded"
        case End(outcome="returned"):
            return "returned another value than recorded"
        case End():
            return "raised another exception than recorded"
        case Signal():
            return f"{_doing(event)} otherwise than recorded"


def describe(slot: Slot) -> str:
    """A recorded event in one line."""
    event: Event = slot.event
    name = slot.start.of
    match event:
        case Start():
            what = f"{name}({show_arguments(event.arguments)})"
        case Item():
            what = f"{name} giving {show(event.value)}"
        case Signal():
            what = f"{name} {event.kind}"
        case End(outcome="cancelled"):
            what = f"{name} cancelled"
        case End():
            what = f"{name} that {event.outcome} {show(event.value)}"
    return f"{what} [event {slot.number}, line {slot.line}]"


def _lines(divergence: Divergence) -> Iterator[str]:
    yield divergence.headline
    yield ""
    if divergence.boundary:
        yield f"  boundary   {divergence.boundary}.{divergence.method}"
    number = f" (event {divergence.event})" if divergence.event is not None else ""
    yield f"  cassette   {divergence.place}{number}"
    if divergence.call_site:
        yield f"  called at  {divergence.call_site}"
    for title, rows in (
        ("differences (- recorded, + actual)", divergence.differences),
        ("nearest recorded calls", divergence.nearest),
        ("last events done", divergence.done),
        ("next event due", (divergence.due,) if divergence.due else ()),
        ("waiting", divergence.waiting),
    ):
        if rows:
            yield ""
            yield f"  {title}:"
            for row in rows:
                yield from (f"    {line}" for line in row.splitlines())
    yield ""
    if divergence.likely:
        yield f"likely: {divergence.likely}"
    yield f"hint: {divergence.hint}"


_STANDARD = str(Path(abc.__file__).resolve().parent) + "/"
