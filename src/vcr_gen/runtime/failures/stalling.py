"""Why nothing can move any more, in words."""

from collections.abc import Iterable
from typing import Final

from vcr_gen.errors import DivergenceKind
from vcr_gen.runtime.failures.describing import describe
from vcr_gen.runtime.replay.waiting import Waiter
from vcr_gen.runtime.tape.events import End, Item, Signal, Start
from vcr_gen.runtime.tape.window import Slot, Window

__all__ = ["IN_FLIGHT", "name_of", "stall_words", "who_reads_on"]

IN_FLIGHT: Final = "the recording stopped while the call was in flight"
OWN_WAIT: Final = "it waits for a task, a thread or an event of its own, or for a callback"


def stall_words(
    head: Slot | None, waiters: Iterable[Waiter], window: Window
) -> tuple[DivergenceKind, str, str]:
    """The kind of a stall, its headline, and what most likely led to it."""
    waiters = list(waiters)
    if head is None:
        if reader := _reads_past_the_end(waiters, window):
            return (
                "stream",
                f"{name_of(reader, window)} was read no further in the recording, "
                "but now the program reads on",
                "the loop over the stream no longer ends where it did, "
                "or the recording was closed while an item was on its way",
            )
        return (
            "unanswered",
            "the program waits for an answer that the recording does not have",
            IN_FLIGHT if waiters else OWN_WAIT,
        )
    awaited = any(waiter.call == head.event.call for waiter in waiters)
    name = head.start.of
    match head.event:
        case Start(inbound=True):
            return (
                "undriven",
                f"the tape has an inbound call, {describe(head)}, and nobody takes it",
                "no Driver runs for this boundary",
            )
        case End(outcome="cancelled") | Signal(kind="cancel" | "left") if awaited:
            return (
                "cancellation",
                f"{name} was cancelled in the recording, but now the program waits for its end",
                "a time-out became longer, or a task is no longer cancelled",
            )
        case Signal(kind="closed") if awaited:
            return (
                "stream",
                f"{name} was closed early in the recording, but now the program reads on",
                "the loop over the stream no longer ends where it did",
            )
    if not head.driven_by_application:
        return (
            "unheard",
            f"nobody waits for {describe(head)}",
            "a call is no longer awaited, or a stream no longer read",
        )
    reader = who_reads_on(head, waiters, window)
    if reader is not None:
        return (
            "stream",
            f"{name_of(reader, window)} was left in the recording, but now the program reads on",
            "the loop over the stream no longer ends where it did",
        )
    if _goes_on(head.strand, waiters, window):
        return (
            "missing",
            f"the program went on without {describe(head)}",
            f"{name} was dropped: what is waited for comes after it",
        )
    return (
        "missing",
        f"the program did not come to {describe(head)}, and nothing can go on",
        f"{name} was dropped, or something before it waits for ever",
    )


def who_reads_on(head: Slot | None, waiters: Iterable[Waiter], window: Window) -> Waiter | None:
    """Who waits for more of a stream than was read of it, and has to do something else now."""
    if head is None or not head.driven_by_application:
        return None
    readers = (waiter for waiter in waiters if waiter.stands_for(head.strand))
    return next((one for one in readers if window.next_of_call(one.call) is None), None)


def _reads_past_the_end(waiters: Iterable[Waiter], window: Window) -> Waiter | None:
    """Who waits for more of a stream that gave something, and that the tape has no end of."""
    given = {done.event.call for done in window.recent if isinstance(done.event, Item)}
    return next((waiter for waiter in waiters if waiter.call in given), None)


def name_of(waiter: Waiter, window: Window) -> str:
    """The method of a call that somebody waits for and the tape has no more of."""
    names = (done.start.of for done in window.recent if done.start.call == waiter.call)
    return next(names, "a stream")


def _goes_on(strand: str, waiters: Iterable[Waiter], window: Window) -> bool:
    """Whether the strand that has to produce an event waits for a later one instead."""
    ahead = (window.next_of_call(waiter.call) for waiter in waiters if waiter.call > 0)
    return any(slot is not None and slot.strand == strand for slot in ahead)
