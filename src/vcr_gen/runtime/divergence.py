"""Divergences: what differs, where, since when, and what to do about it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import final

from vcr_gen.errors import Divergence, DivergenceKind, RecordedEvent
from vcr_gen.runtime.advice import Advice
from vcr_gen.runtime.codec import Difference
from vcr_gen.runtime.counterparts import Expectation
from vcr_gen.runtime.describing import describe, did, did_otherwise
from vcr_gen.runtime.events import End, Item, Signal, Start
from vcr_gen.runtime.history import changed_parameters, signature_change
from vcr_gen.runtime.nearest import Nearest
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.session import Operation
from vcr_gen.runtime.show import show_arguments
from vcr_gen.runtime.sites import called_at, site_among
from vcr_gen.runtime.spec import Boundary
from vcr_gen.runtime.waiting import Waiter
from vcr_gen.runtime.window import Slot, Window

__all__ = ["Reporter"]


@final
class Reporter:
    """Makes divergences from what the player sees."""

    def __init__(
        self, advice: Advice, recorded: Mapping[str, str], boundaries: Mapping[str, Boundary]
    ) -> None:
        self.advice = advice
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
        nearest = Nearest(window, slot, name, stored)
        differences: tuple[Difference, ...] = ()
        kind: DivergenceKind = "extra"
        likely = "the call was repeated" if nearest.repeated else "a call was added"
        if slot is None:
            headline = f"{name} was called, but the tape has no more calls"
        elif not isinstance(slot.event, Start):
            headline = f"{name} was called where the tape has {describe(slot)}"
        elif slot.event.of != name:
            headline = f"{name} was called where the tape has {slot.event.of}"
            if nearest.ahead:
                kind, likely = "order", f"{slot.event.of} was dropped, or is called later now"
        else:
            differences = _named(found.differences)
            headline = f"{name} was called with other arguments than recorded"
            headline += f": {_roots(differences)}"
            if nearest.ahead:
                kind, likely = "order", "calls changed places, or the one that is due was dropped"
            elif not nearest.repeated:
                kind, likely = "argument", "an argument changed"
        divergence = self._divergence(
            kind,
            headline,
            name,
            slot,
            window,
            actual=f"{name}({show_arguments(stored)})",
            differences=differences,
            nearest=nearest.shown,
            likely=likely,
        )
        return self._since_the_recording(divergence, slot)

    def answer(
        self, call: int, event: Item | End | Signal, found: Expectation, window: Window
    ) -> Divergence:
        """The application answered an inbound call, or used a stream, otherwise than recorded.

        Who answered has left its frames; those that are left, the loop's and the driver's, would
        only mislead as a call site.
        """
        slot = found.slot
        kind: DivergenceKind = "stream" if isinstance(event, Signal) else "answer"
        doing = did(event)
        site = isinstance(event, Signal)
        if slot is None:
            headline = f"the application {doing} where the tape has nothing more"
            return self._divergence(
                "extra", headline, "", None, window, actual=doing, likely="something was added"
            )
        name = slot.start.of
        if slot.event.call == call and type(slot.event) is type(event):
            same_end = not (
                isinstance(event, End)
                and isinstance(slot.event, End)
                and slot.event.outcome != event.outcome
            )
            other = f"{doing} instead of what is recorded: {describe(slot)}"
            divergence = self._divergence(
                kind,
                f"{name}: the application {did_otherwise(event) if same_end else other}",
                name,
                slot,
                window,
                actual=f"{name} that {did(event, with_value=True)}",
                differences=_named(found.differences),
                likely="the application's answer changed",
                site=site,
            )
            return self._since_the_recording(divergence, slot)
        due = window.next_of_call(call)
        answering = f"{due.start.of}: " if due is not None else ""
        dropped = isinstance(slot.event, Start)
        return self._divergence(
            "missing" if dropped else kind,
            f"{answering}the application {doing} where the tape has {describe(slot)}",
            name,
            slot,
            window,
            actual=f"{answering}{did(event, with_value=True)}",
            likely=f"{slot.start.of} was dropped" if dropped else "the order changed",
            site=site,
        )

    def cancelled(self, slot: Slot, window: Window) -> Divergence:
        """The application cancelled a call that was not cancelled in the recording."""
        return self._divergence(
            "cancellation",
            f"{slot.start.of} was cancelled, but in the recording it came to its end",
            slot.start.of,
            slot,
            window,
            likely="a time-out became shorter, or a task is cancelled earlier",
        )

    def another_inbound(self, of: str, slot: Slot, window: Window) -> Divergence:
        """A driver asked for another inbound call than the one that is due."""
        return self._divergence(
            "order",
            f"{of} was asked for where the tape has {describe(slot)}",
            of,
            slot,
            window,
            likely="the driver feeds the calls in another order",
        )

    def stall(self, window: Window, waiters: Iterable[Waiter]) -> Divergence:
        """Nothing can move any more."""
        head = window.head()
        waiters = list(waiters)
        waiting = tuple(self._waiting(waiter) for waiter in waiters)
        kind: DivergenceKind
        if head is None:
            kind = "unanswered"
            headline = "the program waits for an answer that the recording does not have"
            likely = "the recording stopped while the call was in flight"
        elif isinstance(head.event, Start) and head.event.inbound:
            kind = "undriven"
            headline = f"the tape has an inbound call, {describe(head)}, and nobody takes it"
            likely = "no Driver runs for this boundary"
        elif head.driven_by_application:
            kind = "missing"
            further = _waited_for_in(head.strand, waiters, window)
            if further is not None:
                headline = f"the program went on without {describe(head)}"
                likely = f"{head.start.of} was dropped: what is waited for comes after it"
            else:
                headline = f"the program did not come to {describe(head)}, and nothing can go on"
                likely = f"{head.start.of} was dropped, or something before it waits for ever"
        else:
            kind = "unheard"
            headline = f"nobody waits for {describe(head)}"
            likely = "a call is no longer awaited, or a stream no longer read"
        divergence = self._divergence(
            kind,
            headline,
            head.start.of if head is not None else "",
            head,
            window,
            waiting=waiting,
            likely=likely,
            site=False,
        )
        if kind == "undriven":
            hint = "drive it: `await Driver(cassette, wrapper).run()`, or `.run_sync()`"
            return replace(divergence, hint=hint, commands=())
        return self._since_the_recording(divergence, head)

    def place(self, slot: Slot) -> str:
        """Where a recorded event stands."""
        return f"{self.advice.path}:{slot.line}"

    def gone(self, name: str) -> str:
        """In words, why nobody can make a recorded call any more; empty where somebody can."""
        boundary, _, key = name.partition(".")
        known = self._boundaries.get(boundary)
        if known is not None:
            vanished = name in self._recorded and key not in known.signatures()
            return f"recorded before `{name}` was renamed or removed" if vanished else ""
        if any(recorded.startswith(f"{boundary}.") for recorded in self._recorded):
            return f"no wrapper of `{boundary}` takes part in this replay"
        return ""

    def _since_the_recording(self, divergence: Divergence, slot: Slot | None) -> Divergence:
        """The same, with what changed in the Protocols, where that explains it."""
        name = f"{divergence.boundary}.{divergence.method}"
        recorded, current = self._recorded.get(name), self._signature(name)
        change = signature_change(name, recorded, current)
        explained = divergence.kind not in ("argument", "order", "extra") or any(
            _root(difference.path) in changed_parameters(recorded, current)
            for difference in divergence.differences
        )
        likely = change if explained else ""
        if not likely and slot is not None:
            likely = self.gone(slot.start.of)
        if not likely:
            return divergence
        migrating = self.advice.migrating()
        again = self.advice.record("or")
        return replace(
            divergence,
            kind="signature",
            likely=likely,
            hint=f"bring the cassette up to date: {migrating}; {again}",
            commands=(migrating, *divergence.commands),
        )

    def _divergence(
        self,
        kind: DivergenceKind,
        headline: str,
        name: str,
        slot: Slot | None,
        window: Window,
        *,
        actual: str = "",
        differences: tuple[Difference, ...] = (),
        nearest: tuple[RecordedEvent, ...] = (),
        waiting: tuple[str, ...] = (),
        likely: str = "",
        site: bool = True,
    ) -> Divergence:
        boundary, _, method = name.rpartition(".")
        command = self.advice.recording()
        return Divergence(
            kind=kind,
            headline=headline,
            cassette=self.advice.path,
            boundary=boundary,
            method=method,
            due=describe(slot) if slot is not None else None,
            actual=actual,
            differences=differences,
            nearest=nearest,
            call_site=called_at(self._is_generated) if site else "",
            done=tuple(describe(done) for done in window.recent),
            waiting=waiting,
            likely=likely,
            hint=self.advice.record("if the change is meant"),
            commands=(command,) if command else (),
        )

    def _waiting(self, waiter: Waiter) -> str:
        place = site_among(waiter.frames(), self._is_generated)
        return f"{waiter.name} waits for call {waiter.call}" + (f" at {place}" if place else "")

    def _is_generated(self, module: object) -> bool:
        """Whether a module holds wrappers: its frames are not the application's."""
        return any(known.wrapper.__module__ == module for known in self._boundaries.values())

    def _signature(self, name: str) -> str | None:
        boundary, _, key = name.partition(".")
        known = self._boundaries.get(boundary)
        return None if known is None else known.signatures().get(key)


def _waited_for_in(strand: str, waiters: Iterable[Waiter], window: Window) -> Slot | None:
    """What the strand that has to produce an event waits for instead, if it does."""
    ahead = (window.next_of_call(waiter.call) for waiter in waiters if waiter.call > 0)
    return next((slot for slot in ahead if slot is not None and slot.strand == strand), None)


def _named(differences: tuple[Difference, ...]) -> tuple[Difference, ...]:
    """The same, with the place of an answer, which has no name, called `value`."""
    return tuple(
        found if found.path[:1] not in ("", ".", "[") else replace(found, path=f"value{found.path}")
        for found in differences
    )


def _roots(differences: tuple[Difference, ...]) -> str:
    """The fields that differ, a few of them."""
    names = list(dict.fromkeys(found.path for found in differences))
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _root(path: str) -> str:
    """The parameter that a path begins with."""
    return path.partition(".")[0].partition("[")[0]
