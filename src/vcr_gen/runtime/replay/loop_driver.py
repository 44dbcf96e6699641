"""Event loops in a replay: what happens when one is idle, and how executor jobs come back."""

import time
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, final

from vcr_gen.errors import Divergence
from vcr_gen.runtime.loops.backends import running_library
from vcr_gen.runtime.loops.clock import FORCE_AFTER, FORCE_AFTER_ROUNDS, TOGETHER
from vcr_gen.runtime.loops.session_loops import Loops
from vcr_gen.runtime.replay.decide import (
    AdvanceClock,
    Decision,
    Deliver,
    LastResort,
    Loosen,
    Release,
    Skip,
    Step,
    View,
    Wait,
    when_busy,
    when_idle,
)
from vcr_gen.runtime.replay.live_peer import peer_when_busy, peer_when_idle
from vcr_gen.runtime.replay.matcher import Matcher
from vcr_gen.runtime.replay.replay_state import ReplayState
from vcr_gen.runtime.replay.session_view import decide, taker, view_of, works_aside
from vcr_gen.runtime.replay.waiting import UNEXPECTED, Waiter, is_due, is_leave
from vcr_gen.runtime.tape.events import INTERNAL, End, Event, Signal, Start
from vcr_gen.runtime.tape.window import Slot

if TYPE_CHECKING:
    from vcr_gen.runtime.loops.hook import Hook
    from vcr_gen.runtime.loops.jobs import JobGate


@final
class LoopDriver:
    """Delivers what the environment said, one event at each idle point."""

    one_by_one = False
    lag = 0.0

    def __init__(self, state: ReplayState, matcher: Matcher, loops: Loops) -> None:
        self._state = state
        self._loops = loops
        self.jobs: JobGate = ReplayedJobs(state, matcher, loops)
        self._clock = loops.clock
        self._looked_at = self._could_wake_at = time.monotonic()
        """When an idle loop was served last, and when something could wake it last."""
        self._rounds = 0
        self.told_by_threads = False
        """Whether threads made a loop continue at moments that the tape does not have."""

    def idle(self, timer: float | None, *, hears: bool, lag: float = 0.0) -> float | None:
        """Deliver the next event to the idle loop, or let its next timer come due.

        What the loop `hears` is the program's own: it really comes, and takes its time.
        """
        del lag
        self._looked_at = time.monotonic()
        self._rounds = 0
        with self._state.monitor:
            while True:
                view, deliver = self._view(timer, hears=hears)
                choose = when_idle if self._state.peer is None else peer_when_idle
                decision = decide(self._state, choose, view, self._last_resort)
                if decision is not Step.FAIL:
                    return self._apply(decision, deliver)
                self._state.note_stall()

    def _view(
        self, timer: float | None, *, hears: bool = False, next_time: float = 0.0
    ) -> tuple[View, Callable[[], None] | None]:
        """The facts of this loop, and the function that delivers its next event, if any."""
        if self._clock.runs:
            self._clock.advance(0)
        view = view_of(self._state)
        failed = view.failed_for is not None
        deliver = None if failed or view.due is None else self._delivery(view.due)
        view = view._replace(
            is_taken=deliver is not None,
            works_aside=works_aside(self._state),
            timer=timer,
            hears=hears,
            untold=failed and self._state.a_task_is_untold(),
            next_time=next_time,
        )
        return view, deliver

    def _apply(self, decision: Decision, deliver: Callable[[], None] | None) -> float:
        """Do what was decided; how many seconds the loop really waits then."""
        match decision:
            case Wait(seconds):
                return seconds
            case Deliver(slot) if deliver is not None:
                if not slot.is_loose:
                    self._clock.advance(slot.event.at)
                deliver()
                self._state.moved()
            case AdvanceClock(to):
                self._clock.advance(to)
            case Skip(call):
                self._state.skip(call)
            case Loosen(slot):
                self._state.loosen(slot)
            case Release(Waiter() as waiter):
                self._release(waiter)
            case Step.FINISH:
                self._state.dispatcher.finish()
            case Step.TELL:
                self._state.fail_waiters()
            case _:
                assert self._state.failure is not None
                raise self._state.failure
        return 0

    async def hear(self, call: int, strand: str, *, begins: bool) -> Event:
        """Wait in this task for the next event of a call; a reader of a stream has a strand."""
        library = running_library()
        with self._state.monitor:
            self._state.check()
            hook = self._loops.hook()
            event = None
            if not self._state.waiters.of(call):
                event = self._at_once(call, hook, begins=begins)
        if event is not None:
            return event
        cancelled: BaseException | None = None
        leaves = False
        while True:
            waiter = Waiter(call, begins=begins, cancelled=cancelled is not None)
            waiter.leaves = leaves
            waiter.future = library.park(patient=waiter.cancelled)
            waiter.strand = strand
            with self._state.monitor:
                self._state.check()
                self._loops.hook()
                self._state.waiters.add(waiter)
            try:
                if cancelled is None:
                    await self._state.dispatcher.serve_soon(call)
                event = await waiter.future
            except library.cancelled as error:
                with self._state.monitor:
                    if not self._state.goes_on or self._ended_unread(call):
                        raise
                    leaves = self._leaves(call)
                cancelled = error
                continue
            finally:
                self._state.waiters.remove(waiter)
            if cancelled is not None and is_leave(event):
                raise cancelled
            return event

    def _leaves(self, call: int) -> bool:
        """Whether the cancelled task may leave now; the tape must have the cancellation.

        Otherwise the task gets an answer: in the recording the environment answered anyway.
        """
        slot = self._state.window.next_of_call(call)
        if slot is None or self._is_left_soon(call):
            return True  # no event: the recording ended before the call was left
        event = slot.event
        if not isinstance(event, Signal) or event.kind != "cancel" or slot.start.inbound:
            self._state.fail(self._why_cancelled(slot))
        self._state.take(slot)
        return False

    def _ended_unread(self, call: int) -> bool:
        """Whether the cancelled reader of a shifted stream had read all of it when recorded."""
        end = self._state.leave_unread(call)
        if end is not None:
            self._state.take(end)
        return end is not None

    def _why_cancelled(self, slot: Slot) -> Divergence:
        """Why a task was cancelled that was not cancelled in the recording.

        If the program did not do what was due before, time moved on to its next timer. Then the
        missing step is the cause, and the timer only a consequence.
        """
        if self.something_is_overdue():
            return self._state.stall()
        return self._state.reporter.cancelled(slot, self._state.window)

    def _is_left_soon(self, call: int) -> bool:
        """Whether a call is left next; if it is a stream, one more of its readers leaves it soon.

        If the stream or the recording ends then, not all readers that leave are on the tape.
        """
        readers = self._state.waiters.of(call)
        events = [slot.event for slot in self._state.window.upcoming_of_call(call, _SOON)]
        left = [event for event in events if is_leave(event)]
        if not left or (events[0] is not left[0] and not readers):
            return False
        is_last = len(left) == len(events) or isinstance(left[-1], End)
        return is_last or sum(reader.leaves for reader in readers) < len(left)

    def _at_once(self, call: int, hook: "Hook | None", *, begins: bool) -> Event | None:
        """The event of a call that need not wait: it is due, and the loop counts as idle."""
        head = self._state.window.head()
        if hook is None or head is None or not is_due(head, call, begins=begins):
            return None
        if self._state.peer is not None or self._state.pace or self._state.window.has_loose:
            return None
        if self._work_is_under_way() or not hook.nothing_before(head.event.at):
            return None
        self._looked_at = time.monotonic()
        self._rounds = 0
        self._clock.advance(head.event.at)
        if head.driven_by_application:
            return head.event
        return self._state.take(head).event

    def _work_is_under_way(self) -> bool:
        return works_aside(self._state) and self._state.monitor.still_for <= self._state.patience

    def clock_is_read(self, before: float = inf) -> None:
        """Let the clock move on where it did in the recording."""
        del before
        self._clock.readings += 1
        if self._clock.runs:
            self._clock.advance(0)
        else:
            self._follow(self._clock.readings, 0)

    def _follow(self, readings: int, rounds: int) -> None:
        with self._state.monitor:
            to = self._state.window.tick(self._clock.now, readings, rounds)
        if to is not None:
            self._clock.advance(to)

    def busy(self, timer: float | None = None) -> bool:
        """Do for a loop that is never idle what else happens at idle points: now and then."""
        if self._clock.runs:
            self._clock.advance(0)
        elif timer is not None:
            self._clock.rounds += 1
            self._follow(0, self._clock.rounds)
        self._rounds += 1
        now = self._could_wake_at = time.monotonic()
        if self._rounds < FORCE_AFTER_ROUNDS or now - self._looked_at < FORCE_AFTER:
            return True
        self._rounds = 0
        passed, self._looked_at = now - self._looked_at, now
        with self._state.monitor:
            view, deliver = self._view(None, next_time=self._clock.now + passed)
            choose = when_busy if self._state.peer is None else peer_when_busy
            decision = decide(self._state, choose, view, self._last_resort)
            if decision is Step.FAIL:
                self._state.note_stall()
            else:
                self._apply(decision, deliver)
        return True

    def something_is_overdue(self) -> bool:
        """Whether time went on to a timer, though the program had not done what was due before."""
        head = self._state.window.head()
        if head is None or not head.driven_by_application or head.start.of in INTERNAL:
            return False
        if self._clock.runs:
            return False
        return head.event.at + TOGETHER < self._clock.now

    def woken(self, timer: float | None) -> None:
        """Real time does not count in a replay."""

    def told_by_thread(self) -> None:
        """Remember it: the moment differs between runs."""
        self.told_by_threads = True

    def _delivery(self, head: Slot) -> Callable[[], None] | None:
        """Delivers the oldest event in an idle loop; None if no task can take it."""
        if isinstance(head.event, Start) and head.event.inbound:
            return self._received(head)
        waiter = taker(self._state, head)
        if waiter is None or waiter.future is None:
            return self._received(head) if isinstance(head.event, Signal) else None
        future = waiter.future
        if future.get_loop() is not running_library().loop():
            return None

        def deliver() -> None:
            if not head.driven_by_application:
                self._state.give(head, waiter)
            if waiter.hand_back is not None:
                self._state.waiters.remove(waiter)
                waiter.hand_back()
            elif not future.done():
                future.set_result(head.event)

        return deliver

    def _received(self, head: Slot) -> Callable[[], None] | None:
        return self._state.dispatcher.in_loop(head)

    def _last_resort(self, view: View) -> LastResort:
        """The remaining options for a loop that stays idle."""
        failed = view.failed_for is not None
        leaving = None if failed else self._leaving()
        used_up = view.due is None and not view.anyone_waits
        return LastResort(
            leaving=leaving,
            finishes=leaving is None and self._state.dispatcher.finishes(failed=failed),
            forsaken=used_up and self._is_forsaken(hears=view.hears),
            idle_workers=self._state.threads.idle(self._state.waiters),
            other_loop=len(self._loops.running()) > 1,
        )

    def _is_forsaken(self, *, hears: bool) -> bool:
        """Whether neither input nor a thread of the program could wake the loop for a long time."""
        if hears or self._state.threads.busy(self._state.waiters):
            self._could_wake_at = time.monotonic()
        return time.monotonic() - self._could_wake_at > UNEXPECTED * self._state.patience

    def _leaving(self) -> Waiter | None:
        """A cancelled call whose end came after the recording was closed.

        The same holds for a job whose result was no longer wanted in the recording. If there is
        neither, a job that came back too early: the tape expects a different job.
        """
        waiters = list(self._state.waiters)
        for waiter in waiters:
            future = waiter.future
            is_open = waiter.cancelled and future is not None and not future.done()
            if waiter.hand_back is None and not is_open:
                continue
            if self._state.window.next_of_call(waiter.call) is None:
                return waiter
        return next((waiter for waiter in waiters if waiter.hand_back is not None), None)

    def _release(self, waiter: Waiter) -> None:
        """Let a cancelled call go, or hand back the result of a job."""
        if waiter.hand_back is not None:
            self._state.window.skip(waiter.call)
            self._state.waiters.remove(waiter)
            waiter.hand_back()
        elif waiter.future is not None:
            self._state.running.pop(waiter.call, None)
            waiter.future.set_result(End(call=waiter.call, outcome="cancelled"))


_SOON = 50
"""How many events of a stream tell whether one of its readers leaves it."""

_ROUNDED = 1e-6
"""How far rounding may move a recorded time from the clock's time."""


@final
class ReplayedJobs:
    """Holds back the results of recorded jobs until their turn; other jobs run freely."""

    def __init__(self, state: ReplayState, matcher: Matcher, loops: Loops) -> None:
        self._state = state
        self._matcher = matcher
        self._loops = loops
        self.strands = state.strands

    def job_begins(self) -> int:
        """The application hands a job to an executor: gated where the recording has it."""
        with self._state.monitor:
            if not self._state.goes_on or self._state.peer is not None:
                return 0
            slot = self._matcher.job(self.strands.here(), until=self._loops.clock.now + _ROUNDED)
            if slot is None:
                return 0
            self._state.threads.see()
            start = self._state.take(slot).start
            end = self._state.window.next_of_call(start.call)
            if end is not None:
                self._state.recorded_jobs[start.call] = end.event.at - start.at
            self._loops.hook(start.at, start.timers)
            return start.call

    def job_may_run(self, job: int) -> bool:
        """Whether the job ran in the recording."""
        with self._state.monitor:
            slot = self._state.window.next_of_call(job)
        upcoming = None if slot is None else slot.event
        return not isinstance(upcoming, End) or upcoming.outcome != "cancelled"

    def job_may_be_dropped(self, job: int) -> bool:
        """The application cancelled a job that has not begun: dropped if it was before."""
        with self._state.monitor:
            slot = self._state.window.next_of_call(job)
            if slot is None or self.job_may_run(job):
                return False
            self._state.take(slot)
            return True

    def job_is_over(
        self, job: int, wanted: Callable[[], bool], hand_back: Callable[[], None]
    ) -> None:
        """Deliver the result of a job at its turn."""
        with self._state.monitor:
            self._state.recorded_jobs.pop(job, None)
            if self._state.failure is not None or self._state.closed or not wanted():
                hand_back()
            else:
                waiter = Waiter(job)
                waiter.future = running_library().park()
                waiter.hand_back = hand_back
                self._state.waiters.add(waiter)
