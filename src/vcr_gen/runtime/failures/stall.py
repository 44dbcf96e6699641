"""Explains why a replay is stuck: the cause, and what each task and thread waits for."""

import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from vcr_gen.errors import DivergenceKind
from vcr_gen.runtime.failures.call_sites import site_among, site_of_awaiter, site_of_thread
from vcr_gen.runtime.failures.wording import describe, title_of, words_of
from vcr_gen.runtime.loops.backends import running_loop
from vcr_gen.runtime.strands.stack_frames import coroutine_frames
from vcr_gen.runtime.tape.events import End, Item, Signal, Start
from vcr_gen.runtime.tape.window import Slot, Window

if TYPE_CHECKING:
    from vcr_gen.runtime.replay.waiting import Waiter

IN_FLIGHT: Final = "the recording stopped while the call was in flight"
OWN_WAIT: Final = "the program waits for its own task, thread or event, or for a callback"


def stall_words(
    head: Slot | None, waiters: "Iterable[Waiter]", window: Window
) -> tuple[DivergenceKind, str, str]:
    """The kind of a stall, its headline, and the likely cause."""
    waiters = list(waiters)
    if head is None:
        if reader := _reads_past_the_end(waiters, window):
            return (
                "stream",
                f"the program keeps reading {name_of(reader, window)}, "
                "but the recording has no more items",
                "the loop over the stream no longer stops at the same item, "
                "or the recording was closed before its next item arrived",
            )
        return (
            "unanswered",
            "the program waits for an answer that the recording does not have",
            IN_FLIGHT if waiters else OWN_WAIT,
        )
    awaited = any(waiter.call == head.event.call for waiter in waiters)
    name = title_of(head.start, head.signature, head.origins)
    match head.event:
        case Start(inbound=True):
            return (
                "undriven",
                f"no driver makes the inbound call {describe(head)}",
                "no Driver runs for this boundary",
            )
        case End(outcome="cancelled") | Signal(kind="cancel" | "left") if awaited:
            return (
                "cancellation",
                f"{name} was cancelled in the recording, but the program waits for it to finish",
                "a timeout became longer, or a task is no longer cancelled",
            )
        case Signal(kind="closed") if awaited:
            return (
                "stream",
                f"{name} was closed early in the recording, but the program keeps reading",
                "the loop over the stream no longer stops at the same item",
            )
    if not head.driven_by_application:
        return (
            "unheard",
            f"the program does not wait for {describe(head)}",
            "a call is no longer awaited, or a stream is no longer read",
        )
    reader = reader_past_the_recording(head, waiters, window)
    if reader is not None:
        return (
            "stream",
            f"the program keeps reading {name_of(reader, window)}, "
            "but the recorded loop had ended",
            "the loop over the stream no longer stops at the same item",
        )
    if _goes_on(head.strand, waiters, window):
        return (
            "missing",
            f"the program skipped {describe(head)} and moved on to a later call",
            f"{name} was dropped",
        )
    return (
        "missing",
        f"the program never made the call {describe(head)}, and nothing else can happen",
        f"{name} was dropped, or something before it waits forever",
    )


def reader_past_the_recording(
    head: Slot | None, waiters: "Iterable[Waiter]", window: Window
) -> "Waiter | None":
    """The reader that waits for more items than recorded, and blocks its strand."""
    if head is None or not head.driven_by_application:
        return None
    readers = (waiter for waiter in waiters if waiter.strand == head.strand)
    return next((reader for reader in readers if window.next_of_call(reader.call) is None), None)


def _reads_past_the_end(waiters: "Iterable[Waiter]", window: Window) -> "Waiter | None":
    """The reader of a stream that yielded items and whose end is not on the tape."""
    given = {done.event.call for done in window.recent if isinstance(done.event, Item)}
    return next((waiter for waiter in waiters if waiter.call in given), None)


def name_of(waiter: "Waiter", window: Window) -> str:
    """The method of an awaited call without further events on the tape."""
    start = window.recent_call(waiter.call)
    return "a stream" if start is None else title_of(start, origins=window.origins)


def _goes_on(strand: str, waiters: "Iterable[Waiter]", window: Window) -> bool:
    """Whether the strand that should produce the next event waits for a later one."""
    ahead = (window.next_of_call(waiter.call) for waiter in waiters if waiter.call > 0)
    return any(slot is not None and slot.strand == strand for slot in ahead)


_SHOWN = 12


def waiting_rows(
    window: Window,
    waiters: "Iterable[Waiter]",
    busy: Iterable[threading.Thread],
) -> tuple[str, ...]:
    """The wait of every task and thread of the program, with its place."""
    waiters = list(waiters)
    rows = [
        f"{waiter.name} waits for {_wanted(waiter, window)}"
        + (f" at {place}" if (place := place_of(waiter)) else "")
        for waiter in waiters
    ]
    rows += _elsewhere(waiters, busy)
    more = len(rows) - _SHOWN
    return (*rows[:_SHOWN], *([f"… and {more} more"] if more > 0 else []))


def _wanted(waiter: "Waiter", window: Window) -> str:
    if waiter.call < 0:
        return "the cassette to close"
    slot = window.next_of_call(waiter.call)
    if slot is not None and not slot.driven_by_application and not _is_cancellation(slot):
        return str(describe(slot))
    start = slot.start if slot is not None else window.recent_call(waiter.call)
    signature = "" if slot is None else slot.signature
    what = f"call {waiter.call}"
    if start is not None:
        what = words_of(start, start, signature, origins=window.origins)
    return what if slot is not None else f"{what}, whose end is not on the tape,"


def _is_cancellation(slot: Slot) -> bool:
    match slot.event:
        case End(outcome="cancelled") | Signal(kind="left"):
            return True
    return False


def place_of(waiter: "Waiter") -> str:
    """Where in the application a waiter waits, or is awaited."""
    return site_among(waiter.frames()) or site_of_awaiter(waiter.task)


def _elsewhere(waiters: "Iterable[Waiter]", busy: Iterable[threading.Thread]) -> Iterator[str]:
    """Tasks and threads that do not wait for the tape, one of which may block the others."""
    parked = {waiter.task for waiter in waiters}
    from asyncio import all_tasks

    tasks = all_tasks() if running_loop() is not None else set()
    for task in sorted(tasks - parked, key=lambda task: task.get_name()):
        place = site_among(coroutine_frames(task.get_coro()))
        if place:
            yield f"task {task.get_name()} waits for something else at {place}"
    for thread in busy:
        if place := site_of_thread(thread):
            yield f"thread {thread.name} is busy or waits for something else at {place}"
