"""Who stands where, when nothing can move."""

import asyncio
import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from vcr_gen.runtime.failures.sites import IsGenerated, site_among, site_of_awaiter, site_of_thread
from vcr_gen.runtime.failures.wording import describe, words_of
from vcr_gen.runtime.strands.frames import coroutine_frames
from vcr_gen.runtime.tape.events import End, Signal
from vcr_gen.runtime.tape.window import Slot, Window

if TYPE_CHECKING:
    from vcr_gen.runtime.replay.waiters import Waiter

__all__ = ["place_of", "who_waits"]

_SHOWN = 12


def who_waits(
    window: Window,
    waiters: "Iterable[Waiter]",
    busy: Iterable[threading.Thread],
    is_generated: IsGenerated,
) -> tuple[str, ...]:
    """Every task and thread of the program: what it waits for, and where in the source."""
    waiters = list(waiters)
    rows = [
        f"{waiter.name} waits for {_wanted(waiter, window)}"
        + (f" at {place}" if (place := place_of(waiter, is_generated)) else "")
        for waiter in waiters
    ]
    rows += _elsewhere(waiters, busy, is_generated)
    more = len(rows) - _SHOWN
    return (*rows[:_SHOWN], *([f"… and {more} more"] if more > 0 else []))


def _wanted(waiter: "Waiter", window: Window) -> str:
    if waiter.call < 0:
        return "the cassette to close"
    slot = window.next_of_call(waiter.call)
    if slot is not None and not slot.driven_by_application and not _is_cancellation(slot):
        return str(describe(slot))
    starts = (done.start for done in window.recent if done.start.call == waiter.call)
    start = slot.start if slot is not None else next(starts, None)
    signature = "" if slot is None else slot.signature
    what = words_of(start, start, signature) if start is not None else f"call {waiter.call}"
    return what if slot is not None else f"{what}, whose end is not on the tape,"


def _is_cancellation(slot: Slot) -> bool:
    match slot.event:
        case End(outcome="cancelled") | Signal(kind="left"):
            return True
    return False


def place_of(waiter: "Waiter", is_generated: IsGenerated) -> str:
    """Where in the application somebody waits, or is awaited."""
    return site_among(waiter.frames(), is_generated) or site_of_awaiter(waiter.task, is_generated)


def _elsewhere(
    waiters: "Iterable[Waiter]", busy: Iterable[threading.Thread], is_generated: IsGenerated
) -> Iterator[str]:
    """Tasks and threads that do not wait for the tape: one of them may hold up the others."""
    parked = {waiter.task for waiter in waiters}
    try:
        tasks = asyncio.all_tasks()
    except RuntimeError:
        tasks = set()
    for task in sorted(tasks - parked, key=lambda task: task.get_name()):
        place = site_among(coroutine_frames(task.get_coro()), is_generated)
        if place:
            yield f"task {task.get_name()} waits for something else at {place}"
    for thread in busy:
        if place := site_of_thread(thread, is_generated):
            yield f"thread {thread.name} is busy or waits for something else at {place}"
