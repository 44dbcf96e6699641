"""Builds divergences: a headline, what differs, where, why, and what to do about it."""

import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, final

from vcr_gen.errors import DecodeError, Divergence, DivergenceKind, RecordedEvent
from vcr_gen.runtime.boundary.port import Operation
from vcr_gen.runtime.boundary.spec import Boundary
from vcr_gen.runtime.codec import MISSING, Difference
from vcr_gen.runtime.failures.advice import Advice
from vcr_gen.runtime.failures.call_sites import called_at, shown_path
from vcr_gen.runtime.failures.format_values import places_of
from vcr_gen.runtime.failures.likely_causes import (
    Nearest,
    changed_call,
    few_fields,
    other_method,
    other_request,
)
from vcr_gen.runtime.failures.shifted_items import without_shifts
from vcr_gen.runtime.failures.signature_drift import Change, SignatureDrift
from vcr_gen.runtime.failures.stall import (
    IN_FLIGHT,
    place_of,
    reader_past_the_recording,
    stall_words,
    waiting_rows,
)
from vcr_gen.runtime.failures.typed_values import AS_IS, type_at, typed
from vcr_gen.runtime.failures.wording import (
    describe,
    did,
    how_it_differs,
    left_block,
    member_of,
    object_words,
    title_of,
    was_called,
    words_of,
)
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import End, Event, Item, Signal, Start, kind_of
from vcr_gen.runtime.tape.object_origins import LEAVE_BLOCK, Origins
from vcr_gen.runtime.tape.window import Slot, Window
from vcr_gen.runtime.values.anchors import Anchors

if TYPE_CHECKING:
    from vcr_gen.runtime.replay.strand_matching import Expectation
    from vcr_gen.runtime.replay.waiting import Waiter

SHARED_WORK = "if equal threads share work in no fixed order, pass order='lanes' to the cassette"

_SAME_CALL = 2
"""With more differing fields, two calls with different names have little in common."""

_ANSWERS: Final = {"returned": "$result", "item": "$item"}
"""The answers whose types a method declares, and the paths of differences in them."""

DRIVE_IT = "drive it: `await Driver(cassette, wrapper).run()`, or `.run_sync()`"


@final
class Reporter:
    """Builds divergences from the state of the replay."""

    def __init__(
        self,
        advice: Advice,
        recorded: Mapping[str, str],
        boundaries: Mapping[str, Boundary],
        origins: Origins,
        anchors: Anchors,
    ) -> None:
        self.advice = advice
        self._anchors = anchors
        self.drift = SignatureDrift(advice, recorded, boundaries)
        self._origins = origins

    def call(
        self,
        operation: Operation,
        stored: Mapping[str, Plain],
        found: "Expectation",
        window: Window,
        *,
        in_any_order: bool = False,
    ) -> Divergence:
        """The application made a call that the tape does not expect, or not `in_any_order`."""
        name = operation.bound.method.name
        slot = found.slot
        nearest = Nearest(window, slot, operation, stored, self._title)
        differences: tuple[Difference, ...] = ()
        kind: DivergenceKind = "extra"
        likely = "the call was repeated" if nearest.repeated else "a call was added"
        change = None if slot is None else self.drift.gone(slot.start.of, name)
        called = Start(call=0, of=name, on=operation.on, arguments=stored)
        title = self._title(called)
        happened = was_called(called, self.drift.signature_of(name), self._origins)
        due = "" if slot is None else self._title(slot.start)
        if slot is None:
            what = "no such call" if in_any_order else "no more calls"
            headline = f"{happened}, but the tape has {what}"
        elif not isinstance(slot.event, Start):
            headline = f"{happened} where the tape has {describe(slot)}"
        elif slot.event.of != name:
            headline = f"{happened} where the tape has {due}"
            kind, likely = other_method(due, nearest)
            if name == LEAVE_BLOCK:
                kind, likely = "order", f"{due} was dropped, or comes after the block now"
        elif found.stranger:
            thread = threading.current_thread().name
            headline = f"{happened} by thread {thread}; a different thread was recorded"
            kind, likely = "order", "threads swapped calls, or one took over work of another"
        elif slot.event.on != operation.on:
            differences = found.differences
            headline = f"{happened} on a different object"
            kind, likely = "argument", "a different object is used, or calls were reordered"
        elif name == LEAVE_BLOCK:
            differences = found.differences
            headline, likely = left_block(called, slot.event.arguments, self._origins)
            kind = "argument"
        else:
            differences = without_shifts(found.differences, slot.start.arguments, stored)
            change = self.drift.signature(name, [found.path for found in differences])
            if title == due:
                kind, headline, likely = changed_call(title, nearest, stored, differences)
            else:
                kind, headline, likely = other_request(
                    title, due, nearest, in_any_order=in_any_order
                )
                differences = differences if len(differences) <= _SAME_CALL else ()
        divergence = self._divergence(
            kind,
            headline,
            called,
            slot,
            window,
            actual=called,
            differences=differences,
            nearest=nearest.shown,
            likely=likely,
            site=called_at(),
        )
        if change is not None:
            return _explained(divergence, change)
        if nearest.repeated:
            return replace(divergence, hint=f"{divergence.hint}; {_may_repeat(name, title)}")
        if found.may_come and nearest.ahead:
            return replace(
                divergence,
                likely="calls were reordered, or equal threads swapped their work",
                hint=SHARED_WORK,
                commands=(),
            )
        return divergence

    def answer(
        self, call: int, event: Item | End | Signal, found: "Expectation", window: Window
    ) -> Divergence:
        """The application answered an inbound call or used a stream differently.

        The frames of the answer are gone; the remaining ones, of the loop and the driver, would
        be misleading as a call site.
        """
        own = window.next_of_call(call)
        slot = found.slot or own
        signals = isinstance(event, Signal)
        site = called_at() if signals else ""
        if slot is None:
            headline = f"the application {did(event)}, but the tape has no more events"
            likely = "a call or an item was added"
            return self._divergence("extra", headline, None, None, window, likely=likely, site=site)
        start = own.start if own is not None else slot.start
        differences: tuple[Difference, ...] = ()
        kind: DivergenceKind = "stream" if signals else "answer"
        likely = "the application uses the stream differently"
        if not signals:
            likely = "the application's answer changed"
        raises = kind_of(event).value == "raised"
        if raises:
            likely = "an error in the application"
        if slot is own and kind_of(slot.event) is kind_of(event):
            headline = f"{self._title(start)}: the application {how_it_differs(event, slot.event)}"
            differences = _answer_differences(found.differences, event, slot.event)
            if differences and not differences[0].path.startswith("$"):  # which names the whole
                headline = f"{headline}: {few_fields(differences)}"
        else:
            joined = "; the tape has" if raises else " where the tape has"
            headline = (
                f"{self._title(start)}: the application {did(event)}{joined} {describe(slot)}"
            )
            if isinstance(slot.event, Start):
                kind = "missing"
                likely = likely if raises else f"{self._title(slot.start)} was dropped"
            elif isinstance(event, Signal) and event.kind == "closed":
                likely = "the stream is no longer read to its end"
        return self._divergence(
            kind,
            headline,
            slot.start,
            slot,
            window,
            actual=event,
            of=start,
            differences=differences,
            likely=likely,
            site=site,
        )

    def cancelled(self, slot: Slot, window: Window) -> Divergence:
        """The application cancelled a call that was not cancelled in the recording."""
        return self._divergence(
            "cancellation",
            f"{self._title(slot.start)} was cancelled; in the recording it completed",
            slot.start,
            slot,
            window,
            likely="a timeout became shorter, or a task is cancelled earlier",
            site=called_at(),
        )

    def stall(
        self, window: Window, waiters: "Iterable[Waiter]", busy: Iterable[threading.Thread] = ()
    ) -> Divergence:
        """The replay is stuck; `busy` are the threads that do not wait for the tape."""
        head = window.head()
        waiters = list(waiters)
        kind, headline, likely = stall_words(head, waiters, window)
        reader = reader_past_the_recording(head, waiters, window)
        divergence = self._divergence(
            kind,
            headline,
            head.start if head is not None else _last_call(waiters, window),
            head,
            window,
            waiting=waiting_rows(window, waiters, busy),
            likely=likely,
            site="" if reader is None else place_of(reader),
        )
        if kind == "undriven":
            return replace(divergence, hint=DRIVE_IT, commands=())
        if likely is IN_FLIGHT:
            again = "record again, and wait for the call before the cassette is closed"
            return replace(divergence, hint=self.advice.record(again))
        change = None if head is None else self.drift.gone(head.start.of)
        return divergence if change is None else _explained(divergence, change)

    def unreadable(self, error: DecodeError, name: str, line: int) -> DecodeError:
        """The same error, with the location of the recorded value and a hint."""
        change = self.drift.signature(name)
        hint = self.advice.record(f"{error.hint or 'undo the edit'}, or record again")
        return DecodeError(
            path=error.path,
            expected=error.expected,
            got=error.got,
            hint=hint if change is None else f"{change.words}; {change.hint}",
            place=f"{shown_path(self.advice.path)}:{line}",
        )

    def _divergence(
        self,
        kind: DivergenceKind,
        headline: str,
        start: Start | None,
        slot: Slot | None,
        window: Window,
        *,
        actual: Event | None = None,
        of: Start | None = None,
        differences: tuple[Difference, ...] = (),
        nearest: tuple[RecordedEvent, ...] = (),
        waiting: tuple[str, ...] = (),
        likely: str = "",
        site: str = "",
    ) -> Divergence:
        member = "" if start is None else member_of(start, self._origins)
        boundary, _, method = member.rpartition(".")
        of = start if of is None else of
        shown = () if start is None else tuple(self._typed_differences(differences, of or start))
        places = places_of(shown)
        command = self.advice.recording()
        return Divergence(
            kind=kind,
            headline=headline,
            cassette=self.advice.path,
            boundary=boundary,
            method=method,
            due=describe(slot, places, self._typed) if slot is not None else None,
            actual="" if actual is None or of is None else self._words(actual, of, places),
            differences=differences,
            shown=shown,
            anchors=self._anchors.describe(_values(differences)),
            nearest=nearest,
            call_site=site,
            done=_done(window),
            waiting=waiting,
            likely=likely,
            hint=self.advice.record_again(),
            commands=(command,) if command else (),
        )

    def _title(self, start: Start) -> str:
        return title_of(start, self.drift.signature_of(start.of), self._origins)

    def _words(self, event: Event, start: Start, differing: Mapping[str, int]) -> str:
        signature = self.drift.signature_of(start.of)
        event, start = self._typed(event, start)
        return words_of(event, start, signature, differing, origins=self._origins)

    def _typed(self, event: Event, start: Start) -> tuple[Event, Start]:
        """An event and its call with the types that the program declares."""
        types = self.drift.types_of(start.of)
        arguments = start.arguments.items()
        named = replace(
            start, arguments={name: typed(value, types.get(name, Any)) for name, value in arguments}
        )
        if isinstance(event, Start):
            return named, named
        declared = types.get(_ANSWERS.get(kind_of(event).value or "", ""), Any)
        return replace(event, value=typed(event.value, declared)), named

    def _typed_differences(
        self, differences: Iterable[Difference], start: Start
    ) -> Iterator[Difference]:
        """The differences as the program knows the values, also the objects of calls."""
        types = self.drift.types_of(start.of)
        for each in differences:
            sides = [each.recorded, each.actual]
            if each.path == "on":
                sides = [{AS_IS: object_words(str(side), self._origins)} for side in sides]
            else:
                declared = type_at(types, each.path)
                sides = [side if side is MISSING else typed(side, declared) for side in sides]
            yield replace(each, recorded=sides[0], actual=sides[1])


def _explained(divergence: Divergence, change: Change) -> Divergence:
    """The same divergence, explained by a change in a Protocol."""
    return replace(
        divergence,
        kind="signature",
        likely=change.words,
        hint=change.hint,
        commands=change.commands,
    )


def _may_repeat(method: str, title: str) -> str:
    """How to allow that a call is made more often than recorded."""
    boundary, _, name = title.partition(" ")
    is_named = bool(name) and boundary == method.partition(".")[0]
    words = f"{boundary!r}, {name!r}" if is_named else repr(method)
    return f"if it may be made more often, as in polling: rules=[Repeat({words})]"


def _last_call(waiters: "Iterable[Waiter]", window: Window) -> Start | None:
    """An awaited call that has no more events on the tape."""
    starts = (window.recent_call(waiter.call) for waiter in waiters)
    return next((start for start in starts if start is not None), None)


def _done(window: Window) -> tuple[RecordedEvent, ...]:
    """The last events; a finished call, with the items of its stream, counts as one."""
    ended = {slot.event.call for slot in window.recent if isinstance(slot.event, End)}
    return tuple(
        describe(slot)
        for slot in window.recent
        if isinstance(slot.event, End) or slot.event.call not in ended
    )


def _answer_differences(
    differences: tuple[Difference, ...], actual: Item | End | Signal, recorded: Event
) -> tuple[Difference, ...]:
    """The differences of an answer, whose value has the name that their paths begin with."""
    if not differences or isinstance(recorded, Start):
        return differences
    name = re.split(r"[.\[]", differences[0].path)[0]
    return without_shifts(differences, {name: recorded.value}, {name: actual.value})


def _values(differences: Iterable[Difference]) -> Iterator[Plain]:
    """Both sides of every difference."""
    for found in differences:
        for value in (found.recorded, found.actual):
            if value is not MISSING:
                yield value
