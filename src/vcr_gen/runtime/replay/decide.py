"""Decides the next step of a replay: pure functions from a view of the session to a decision.

A driver makes a view, asks for a decision and applies it. The drivers are `loop_driver`, for event
loops, and `thread_driver`, for threads. Some facts are costly to find out, so a view begins
without them: the decision `LOOK` asks for the next of them, and the driver decides again.
"""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, NamedTuple, TypeAlias, final

from vcr_gen.runtime.loops.clock import TOGETHER
from vcr_gen.runtime.replay.liveness import Activity
from vcr_gen.runtime.replay.waiting import (
    BLOCKED_GRACE,
    LONG_WAIT,
    MOST_OVERTIME,
    POLL,
    SLOWER_NOW,
    TICK,
    Waiter,
)
from vcr_gen.runtime.tape.events import INTERNAL
from vcr_gen.runtime.tape.window import Slot

# What is known --------------------------------------------------------------------------------


class Others(NamedTuple):
    """The remaining options of the rest of the program."""

    takes: bool = False
    """A thread is about to take what is due, or to continue otherwise."""
    serves: bool = False
    """Another thread, or one of the session's own, will make the inbound call that is due."""
    jobs: bool = False
    """An executor job runs that does not wait for the tape."""
    longest_job: float = 0.0
    """Seconds that the longest of them took in the recording."""
    threads: Activity = "none"
    """The state of the threads that do not wait for the tape."""


class LastResort(NamedTuple):
    """The last resort before a replay ends because nothing can move."""

    answers: tuple[Slot, ...] = ()
    """The recorded ends of the calls that threads wait for."""
    impatient: bool = False
    """Another thread is about to continue out of turn, as it blocks its loop."""
    idle_workers: bool = False
    """A pool's worker may have got something to do just now."""
    leaving: Waiter | None = None
    """A cancelled call whose end the recording did not see, or a job that ended too early."""
    finishes: bool = False
    """A driver waits for the end of the inbound calls, and this is the end."""
    forsaken: bool = False
    """Nothing has been able to wake the loop for a long time."""
    other_loop: bool = False
    """A loop runs in another thread, which may still continue."""


class View(NamedTuple):
    """The facts of a session at one moment."""

    patience: float
    """Seconds that the replay waits for a program that computes."""
    still_for: float = 0.0
    """Seconds since anything moved."""
    head: Slot | None = None
    """The oldest event that is not done."""
    may_be_left: bool = False
    """Whether that is a call which repeats an earlier one, and need not be made again."""
    due: Slot | None = None
    """The next delivery: the oldest event, or an answer that a task or thread waits for."""
    recorded_gap: float = 0.0
    """Seconds that the program took in the recording before it did what is due."""
    out_of_place: Slot | None = None
    """An event that may come before or after its place, as placeholders shift its stream."""
    stuck: bool = False
    """Whether an answer was given out of turn because the oldest event did not happen."""
    failed_for: float | None = None
    """Seconds since the replay failed; None where it has not."""
    anyone_waits: bool = False
    """Whether a task or thread waits for the tape."""
    now: float = 0.0
    """The time on the session's clock."""
    overtime: float = 0.0
    """Seconds on that clock since the last event of a tape that is used up."""
    early: float = 0.0
    """Seconds that what is due still has to wait, to keep the recorded pace."""
    withheld: bool = False
    """Whether a live peer did not do in time what the tape needs to continue."""
    others: Others | None = None
    last: LastResort | None = None

    # Of the loop that is looked at, if it is one ---
    is_taken: bool = False
    """Whether the next event can be given to a task of this loop, or served in it."""
    works_aside: bool = False
    """Whether an executor job is at work that the recording does not have."""
    timer: float | None = None
    """When the loop's next timer comes."""
    hears: bool = False
    """Whether the loop listens to something of the program's own."""
    untold: bool = False
    """Whether a waiting task has not received the failure yet."""
    next_time: float = 0.0
    """The time to which the clock moves in a loop that is never idle, if nothing is delivered."""


class Asker(NamedTuple):
    """A thread that wants the next event of a call."""

    call: int
    takes: bool = False
    """The next event is the one that the thread waits for."""
    serves: bool = False
    """The next event is an inbound call or a step of a stream, to be made in this thread."""
    stream_is_over: bool = False
    """Another reader has seen the end of the stream."""
    holds_up_loop: bool = False
    """The thread is that of a loop, which cannot continue while it waits."""
    answer: Slot | None = None
    """The end of the call, where the thread blocks its loop."""
    watches: bool = False
    """It is the first waiting thread, which finds out whether anything can move."""


# What is done ---------------------------------------------------------------------------------


class Step(Enum):
    """A decision without parameters."""

    LOOK = auto()
    """Find out more and decide again: first what others can do, then the last resort."""
    END_STREAM = auto()
    """End the stream for this reader: another reader has seen its end."""
    FINISH = auto()
    """Release the driver, which waits for the end."""
    TELL = auto()
    """Raise the failure of the replay in the waiting tasks."""
    FAIL = auto()
    """End the replay: nothing can move."""
    GIVE_UP = auto()
    """End the loop with the divergence: no task is left to raise it, or the program continues."""


@final
@dataclass(frozen=True, slots=True)
class Deliver:
    """Hand an event to the call that waits for it."""

    slot: Slot


@final
@dataclass(frozen=True, slots=True)
class Serve:
    """Make an inbound call, or a step of a stream, in the thread that waits."""

    slot: Slot


@final
@dataclass(frozen=True, slots=True)
class Loosen:
    """Let an event come whenever it is wanted."""

    slot: Slot


@final
@dataclass(frozen=True, slots=True)
class AdvanceClock:
    """Let the loop's time continue."""

    to: float


@final
@dataclass(frozen=True, slots=True)
class Wait:
    """Look again after some seconds, or when something moves."""

    seconds: float


@final
@dataclass(frozen=True, slots=True)
class Wake:
    """Let the threads that wait for a call look again; then wait."""

    call: int
    seconds: float


@final
@dataclass(frozen=True, slots=True)
class Skip:
    """Skip a recorded job that the program no longer uses."""

    call: int


@final
@dataclass(frozen=True, slots=True)
class Release:
    """Let a call continue before its turn."""

    what: Slot | Waiter
    is_suspicious: bool = False
    """Whether another event did not happen, which may be the actual failure."""


Decision: TypeAlias = AdvanceClock | Deliver | Loosen | Release | Serve | Skip | Step | Wait | Wake

_LOOK: Final = Step.LOOK


# Can anything still move? ---------------------------------------------------------------------


def may_move(view: View, *, soon: bool = False) -> bool:
    """Whether a thread or a job may still do something that the tape waits for.

    `soon` gives the program no more time than it took in the recording.
    """
    others = _others(view)
    if others.takes or others.serves or view.early:
        return True
    seconds = _grace(view)
    if soon:
        seconds = min(seconds, BLOCKED_GRACE + SLOWER_NOW * view.recorded_gap)
    if view.stuck:
        seconds = min(seconds, TICK)
    return seconds > 0 and view.still_for <= seconds


def _grace(view: View) -> float:
    """Seconds in which threads and jobs that are not at the tape may still move the replay.

    Only another thread or its own timeout can wake a thread that waits for something else.
    """
    others = _others(view)
    if others.jobs:
        return view.patience + SLOWER_NOW * others.longest_job
    if others.threads == "none":
        return 0.0
    patience = patience_with_recorded_gap(view)
    return patience if others.threads == "working" else min(BLOCKED_GRACE, patience)


def patience_with_recorded_gap(view: View) -> float:
    """Seconds in which the program does what is due, if it takes as long as in the recording."""
    return view.patience + SLOWER_NOW * view.recorded_gap


def _answer_out_of_turn(view: View) -> Slot | None:
    """The answer that a thread gets before its turn, when nothing has moved for too long.

    A thread that is alive but not at the tape may wait for a lock which the waiting thread holds:
    in the recording the locks were taken in a different order. The skipped events must still
    happen. No lock explains why a thread waits that should have done something before.
    """
    if not _grace(view):
        return None
    due = None if view.head is None else view.head.start.strand
    answers = (slot for slot in _last(view).answers if slot.start.strand != due)
    return min(answers, key=lambda slot: slot.index, default=None)


# Threads --------------------------------------------------------------------------------------


def when_thread_waits(view: View) -> Decision:
    """The wait of a thread that cannot continue before others move."""
    if view.others is None:
        return _LOOK
    if may_move(view):
        return Wait(TICK)
    if view.head is not None and (view.may_be_left or view.head.start.of in INTERNAL):
        return Skip(view.head.event.call)
    if view.out_of_place is not None:
        return Loosen(view.out_of_place)
    if view.last is None:
        return _LOOK
    if view.last.impatient or _answer_out_of_turn(view) is not None or _worker_may_begin(view):
        return Wait(TICK)
    return Step.FAIL


def when_thread_asks(view: View, asker: Asker) -> Decision:
    """The step of a thread that wants the next event of a call."""
    if asker.stream_is_over:
        return Step.END_STREAM
    due = view.due
    if due is not None and (asker.takes or asker.serves) and view.early:
        return Wait(view.early)
    if due is not None and asker.takes:
        return Deliver(due)
    if due is not None and asker.serves:
        return Serve(due)
    is_quiet = view.still_for >= TICK
    if is_quiet or asker.holds_up_loop:
        if view.others is None:
            return _LOOK
        found = _before_its_turn(view, asker)
        if found is not None:
            return found
    if is_quiet:
        return when_thread_waits(view)
    return Wait(TICK if asker.watches else LONG_WAIT)


def _before_its_turn(view: View, asker: Asker) -> Decision | None:
    """How a thread continues whose wait blocks its loop, or perhaps other threads."""
    if may_move(view, soon=True):
        return None
    if asker.answer is not None:
        return None if may_move(view) else Release(asker.answer)
    # In the recording the program was there by now: it may wait for a lock that the thread holds
    # which gets this answer.
    if view.last is None:
        return _LOOK
    answer = _answer_out_of_turn(view)
    if answer is None:
        return None
    if answer.event.call == asker.call:
        return Release(answer, is_suspicious=True)
    return Wake(answer.event.call, TICK)


# Loops ----------------------------------------------------------------------------------------


def when_idle(view: View) -> Decision:
    """The step of a loop that has nothing ready: an event, or the next timer."""
    if view.failed_for is not None:
        return _after_failure(view, view.failed_for)
    if view.works_aside and view.still_for <= view.patience:
        return Wait(POLL)  # the job took no time in the recording, so none passes
    due, timer = view.due, view.timer
    if timer is not None and due is not None and timer <= due.event.at + TOGETHER:
        return AdvanceClock(timer)
    if due is not None and view.is_taken:
        return Wait(view.early) if view.early else Deliver(due)
    if view.others is None:
        return _LOOK
    if may_move(view) or (view.hears and view.still_for <= view.patience):
        return Wait(POLL)
    if due is not None and due is view.head and view.may_be_left:
        return Skip(due.event.call)  # its time has passed
    if view.out_of_place is not None:
        return Loosen(view.out_of_place)
    if timer is None:
        return _idle_for_good(view)
    if view.overtime > MOST_OVERTIME:  # a task that never ends would keep a driver waiting
        if view.last is None:
            return _LOOK
        if view.last.finishes:
            return Step.FINISH
    return AdvanceClock(timer)


def when_busy(view: View) -> Decision:
    """A periodic step for a loop that is never idle."""
    if view.failed_for is not None:
        return Step.GIVE_UP if view.failed_for > view.patience else Step.TELL
    if view.due is not None and view.is_taken and not view.early:
        return Deliver(view.due)
    if view.anyone_waits and view.still_for > view.patience and not view.early:
        return Step.FAIL
    return AdvanceClock(view.next_time)  # the program may wait for time to pass


def _idle_for_good(view: View) -> Decision:
    """The loop is idle, nothing is due to it, and no timer can change that."""
    due, last = view.due, view.last
    if due is not None and due.start.of in INTERNAL:
        return Skip(due.event.call)
    if last is None:
        return _LOOK
    if last.leaving is not None:
        return Release(last.leaving)
    if last.finishes:
        return Step.FINISH
    if due is None and not view.anyone_waits and not last.forsaken:
        return Wait(TICK)  # the tape is used up: the program waits for something else
    if _worker_may_begin(view) or (last.other_loop and view.still_for <= view.patience):
        return Wait(POLL)
    return Step.FAIL


def _after_failure(view: View, failed_for: float) -> Decision:
    if failed_for > view.patience:
        return Step.GIVE_UP
    if view.untold:
        return Step.TELL
    if view.others is None or view.last is None:
        return _LOOK
    if view.last.finishes:
        return Step.FINISH
    if view.timer is not None:
        return AdvanceClock(view.timer)
    return Wait(POLL) if may_move(view) else Step.GIVE_UP


def _worker_may_begin(view: View) -> bool:
    """Whether a pool's worker may just have got something to do, before a stall is certain."""
    return _last(view).idle_workers and view.still_for <= min(BLOCKED_GRACE, view.patience)


def _others(view: View) -> Others:
    assert view.others is not None
    return view.others


def _last(view: View) -> LastResort:
    assert view.last is not None
    return view.last
