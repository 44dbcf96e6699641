"""Makes the view of a session that the next decision is made from.

The callers of these functions hold the lock of the session.
"""

import threading
import time
from collections.abc import Callable

from vcr_gen.runtime.replay.decide import (
    Decision,
    LastResort,
    Others,
    Step,
    View,
    may_move,
    patience_with_recorded_gap,
)
from vcr_gen.runtime.replay.live_peer import GONE, Patience
from vcr_gen.runtime.replay.replay_state import ReplayState
from vcr_gen.runtime.replay.waiting import SLOWER_NOW, Waiter, is_answer, is_for
from vcr_gen.runtime.tape.events import Signal, Start
from vcr_gen.runtime.tape.window import Slot


def decide(
    state: ReplayState,
    choose: Callable[[View], Decision],
    view: View,
    last_resort: Callable[[View], LastResort] | None = None,
) -> Decision:
    """The decision, made with as few costly facts as possible."""
    while (decision := choose(view)) is Step.LOOK:
        if view.others is None:
            view = view._replace(others=_others(state))
        elif last_resort is not None:
            view = view._replace(last=last_resort(view))
        else:
            view = view._replace(last=_last_resort(state))
    return decision


def view_of(state: ReplayState) -> View:
    """The facts of the session, without the costly ones."""
    head = state.window.head()
    due = due_from(state, head)
    early = state.pace and state.seconds_early(due)
    return View(
        patience=state.patience,
        still_for=state.monitor.still_for,
        head=head,
        may_be_left=head is not None and state.repeats.may_be_left(head),
        due=due,
        recorded_gap=_recorded_gap(state, head),
        out_of_place=state.shifted.out_of_place(),
        stuck=head is not None and head is state.stuck_at,
        failed_for=None if state.failure is None else time.monotonic() - state.failed_at,
        anyone_waits=bool(state.waiters),
        now=state.clock.now,
        overtime=max(0.0, state.clock.now - state.window.last_at) if head is None else 0.0,
        early=early,
        withheld=state.peer is not None and not early and _is_withheld(state, state.peer, head),
    )


def _is_withheld(state: ReplayState, peer: Patience, head: Slot | None) -> bool:
    """Whether a live peer did not do in time what the tape needs to continue."""
    if peer is GONE and state.only_leftovers():
        return False
    if head is None:
        may_pause = peer is GONE or not state.in_flight
    else:
        may_pause = peer.pauses and head.driven_by_application and not state.in_flight
    if may_pause:
        return False
    in_flight = state.in_flight
    misses = 0 if state.collected is None else state.collected.misses[in_flight]
    limit = peer.seconds(in_flight=in_flight, misses=misses)
    return state.monitor.still_for > limit + SLOWER_NOW * _recorded_gap(state, head)


def anything_may_move(state: ReplayState) -> bool:
    """Whether a thread or a job may still do something that the tape waits for."""
    return may_move(view_of(state)._replace(others=_others(state)))


def program_gap(state: ReplayState) -> float | None:
    """Seconds the program took to do the oldest event; None if that is the environment's."""
    head = state.window.head()
    if head is None or not head.driven_by_application:
        return None
    return patience_with_recorded_gap(view_of(state))


def _recorded_gap(state: ReplayState, head: Slot | None) -> float:
    """Seconds the program took to do what is due, minus those the clock has passed."""
    if head is None or not head.driven_by_application:
        return 0.0
    passed = 0.0 if state.clock.runs else state.clock.now
    return max(0.0, head.event.at - max(state.window.done_at, passed))


# What the others do ---------------------------------------------------------------------------


def _others(state: ReplayState) -> Others:
    """The remaining options of threads and jobs."""
    head = state.window.head()
    due = due_from(state, head)
    jobs = state.strands.jobs_besides(_waiting_threads(state))
    return Others(
        takes=_is_told(state, due),
        serves=state.dispatcher.takes(head) or _is_served(state, due),
        jobs=jobs,
        longest_job=max(state.recorded_jobs.values(), default=0.0),
        threads="none" if jobs else state.threads.activity(state.waiters),
    )


def _last_resort(state: ReplayState) -> LastResort:
    """The remaining options for a waiting thread."""
    here = threading.current_thread()
    threads = [waiter for waiter in state.waiters if waiter.future is None and waiter.call > 0]
    ahead = [state.window.next_of_call(waiter.call) for waiter in threads]
    return LastResort(
        answers=tuple(slot for slot in ahead if slot is not None and is_answer(slot)),
        impatient=any(waiter.impatient and waiter.thread is not here for waiter in state.waiters),
        idle_workers=state.threads.idle(state.waiters),
    )


def works_aside(state: ReplayState) -> bool:
    """Whether an executor job is at work that the recording does not have."""
    return state.strands.works_aside(lambda: _waiting_threads(state))


def _waiting_threads(state: ReplayState) -> list[threading.Thread]:
    return [waiter.thread for waiter in state.waiters if waiter.future is None]


def _is_told(state: ReplayState, due: Slot | None) -> bool:
    """Whether a thread has received the event that is due, and is about to continue."""
    found = None if due is None else taker(state, due)
    return found is not None and found.future is None


def _is_served(state: ReplayState, due: Slot | None) -> bool:
    """Whether another thread, which waits in its strand, is about to serve what is due."""
    strand = None if due is None else served_in(state, due)
    if due is None or strand is None:
        return False
    here = threading.current_thread()
    for waiter in state.waiters:
        begun = state.running.get(waiter.call)
        is_another = waiter.future is None and waiter.thread is not here
        if is_another and begun is not None and begun.start.strand == strand:
            return state.dispatcher.serves(due)
    return False


# What is due, and to whom ---------------------------------------------------------------------


def due_from(state: ReplayState, head: Slot | None) -> Slot | None:
    """The next delivery: the oldest event, or one that may come at any time.

    Where that is a call that is still to be made, and may be made in any order, it is the first
    answer that a task or thread waits for.
    """
    loose = state.shifted.due()
    if loose is not None:
        return loose
    if head is None or not state.may_come_later(head):
        return head
    ahead = (_next_for(state, waiter) for waiter in state.waiters)
    awaited = (slot for slot in ahead if slot is not None)
    return min(awaited, key=lambda slot: slot.index, default=head)


def taker(state: ReplayState, head: Slot) -> Waiter | None:
    """The waiter that gets an event: of several, the recorded reader, or else the first."""
    waiters = [waiter for waiter in state.waiters.of(head.event.call) if is_for(head, waiter)]
    own = (waiter for waiter in waiters if waiter.strand == head.strand)
    return next(own, waiters[0] if waiters else None)


def served_in(state: ReplayState, head: Slot) -> str | None:
    """The strand whose waiting thread serves an event of the environment.

    A stream is read where the environment read it, or else where it began to.
    """
    event = head.event
    if not head.start.inbound or not isinstance(event, Start | Signal):
        return None
    if isinstance(event, Start):
        return event.strand
    waiting = {slot.start.strand for slot in state.running.values()}
    return event.strand if event.strand in waiting else head.start.strand


def serves_here(state: ReplayState, due: Slot, strand: str | None) -> bool:
    """Whether the next event runs in the thread that waits in a strand."""
    return strand is not None and served_in(state, due) == strand and state.dispatcher.serves(due)


def _next_for(state: ReplayState, waiter: Waiter) -> Slot | None:
    """The next event for a waiter: its answer, or an earlier callback of its call.

    None where it has to do something first.
    """
    slot = state.window.next_of_call(waiter.call)
    begun = state.running.get(waiter.call)
    if begun is not None and state.comes_in_any_order(begun):
        for dependent in state.dependents.before(begun, slot):
            return None if dependent.driven_by_application else dependent
    if waiter.future is None and begun is not None:
        callback = _callback_in(state, begun.start.strand)
        if callback is not None and (slot is None or callback.index < slot.index):
            return callback
    return slot if slot is not None and is_for(slot, waiter) else None


def _callback_in(state: ReplayState, strand: str) -> Slot | None:
    """The environment's next step in a strand: a call, or a step of a stream that it has."""
    steps = (state.window.next_of_call(call) for call in state.dispatcher.given)
    own = (slot for slot in steps if slot is not None and served_in(state, slot) == strand)
    call = state.window.next_inbound_of(strand)
    return min(filter(None, (call, *own)), key=lambda slot: slot.index, default=None)
