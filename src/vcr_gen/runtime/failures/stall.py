"""Why a replay cannot go on, in words."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from vcr_gen.errors import DivergenceKind
from vcr_gen.runtime.failures.wording import describe
from vcr_gen.runtime.tape.events import End, Item, Signal, Start
from vcr_gen.runtime.tape.window import Slot, Window

if TYPE_CHECKING:
    from vcr_gen.runtime.replay.waiters import Waiter

__all__ = ["IN_FLIGHT", "name_of", "stall_words", "who_reads_on"]

IN_FLIGHT: Final = "the recording stopped while the call was in flight"
OWN_WAIT: Final = "the program waits for its own task, thread or event, or for a callback"


def stall_words(
    head: Slot | None, waiters: "Iterable[Waiter]", window: Window
) -> tuple[DivergenceKind, str, str]:
    """The kind of a stall, its headline, and what most likely led to it."""
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
    name = head.start.of
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
    reader = who_reads_on(head, waiters, window)
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


def who_reads_on(head: Slot | None, waiters: "Iterable[Waiter]", window: Window) -> "Waiter | None":
    """The reader that waits for more of a stream than was recorded, and blocks its strand."""
    if head is None or not head.driven_by_application:
        return None
    readers = (waiter for waiter in waiters if waiter.stands_for(head.strand))
    return next((one for one in readers if window.next_of_call(one.call) is None), None)


def _reads_past_the_end(waiters: "Iterable[Waiter]", window: Window) -> "Waiter | None":
    """The reader of a stream that gave items, and whose end is not on the tape."""
    given = {done.event.call for done in window.recent if isinstance(done.event, Item)}
    return next((waiter for waiter in waiters if waiter.call in given), None)


def name_of(waiter: "Waiter", window: Window) -> str:
    """The method of an awaited call that the tape has no more events of."""
    names = (done.start.of for done in window.recent if done.start.call == waiter.call)
    return next(names, "a stream")


def _goes_on(strand: str, waiters: "Iterable[Waiter]", window: Window) -> bool:
    """Whether the strand that has to produce an event waits for a later one instead."""
    ahead = (window.next_of_call(waiter.call) for waiter in waiters if waiter.call > 0)
    return any(slot is not None and slot.strand == strand for slot in ahead)
