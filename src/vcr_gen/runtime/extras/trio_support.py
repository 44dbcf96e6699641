"""trio as the library that runs a program's tasks, also through anyio.

Imported only where the program runs trio. trio shuffles the tasks that are ready, on purpose. A
session lets them run one at a time, in the order in which they became ready, and the older one
first where several became ready together. So a replay repeats the order. The clock and the idle
point are hooked where trio waits for input.
"""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextvars import Context, copy_context
from sys import _getframe
from typing import Any, Final, TypeVar, final

import outcome
import trio
from trio._core._run import GLOBAL_RUN_CONTEXT, Runner, SystemClock

from vcr_gen.errors import DivergenceError, UsageError
from vcr_gen.runtime.extras.anyio_tests import is_between_tests, running_tests
from vcr_gen.runtime.loops.backends import Library, Loop, Parked, Spawned
from vcr_gen.runtime.loops.session_loops import Loops

_S = TypeVar("_S")

_LONGEST = 24 * 60 * 60
"""Seconds that trio waits for input at most."""

_PROGRAM_READS: Final = Runner.current_time.__code__
"""The function of trio that reads the clock for the program; for itself it uses another."""

_OFTEN = 10
"""How often a program that continues after a divergence is cancelled."""


@final
class TrioLoop:
    """One run of trio, as other threads see it."""

    def __init__(self, runner: Any) -> None:
        self.runner = runner
        self._token = trio.lowlevel.current_trio_token()

    def is_running(self) -> bool:
        """Whether it has not ended."""
        return not self.is_closed()

    def is_closed(self) -> bool:
        """Whether it has ended."""
        return not self.runner.tasks

    def call_soon_threadsafe(self, callback: Callable[..., Any], /, *args: Any) -> None:
        """Have the run call something; can be used in any thread."""
        self._token.run_sync_soon(callback, *args)


_loops: "trio.lowlevel.RunVar[TrioLoop]" = trio.lowlevel.RunVar("vcr_gen_loop")


@final
class _Parked:
    """Where a task of trio waits for a result."""

    def __init__(self, loop: TrioLoop, *, patient: bool) -> None:
        self._loop = loop
        self._patient = patient
        self._task: trio.lowlevel.Task | None = None
        self._told: outcome.Outcome[Any] | None = None
        self._left = False

    def done(self) -> bool:
        return self._left or self._told is not None

    def set_result(self, result: Any, /) -> None:
        self._tell(outcome.Value(result))

    def set_exception(self, error: BaseException, /) -> None:
        self._tell(outcome.Error(error))

    def cancel(self) -> bool:
        if not self.done():
            self.set_exception(UsageError("a boundary was used after its cassette was closed"))
        return True

    def get_loop(self) -> Loop:
        return self._loop

    def __await__(self) -> Generator[Any, None, Any]:
        return self._wait().__await__()

    async def _wait(self) -> Any:
        if self._told is not None:
            return self._told.unwrap()
        with trio.CancelScope(shield=self._patient):
            self._task = trio.lowlevel.current_task()
            return await trio.lowlevel.wait_task_rescheduled(self._leave)

    def _leave(self, _: object) -> trio.lowlevel.Abort:
        self._left = True
        self._task = None
        return trio.lowlevel.Abort.SUCCEEDED

    def _tell(self, told: "outcome.Outcome[Any]") -> None:
        self._told = told
        if self._task is not None:
            trio.lowlevel.reschedule(self._task, told)
            self._task = None


@final
class _Spawned:
    """A task of the runtime beside the program's own."""

    def __init__(self, work: Coroutine[Any, Any, None]) -> None:
        self._scope = trio.CancelScope()
        self._work = work
        trio.lowlevel.spawn_system_task(self._run, context=copy_context())

    async def _run(self) -> None:
        with self._scope:
            await self._work

    def cancel(self) -> None:
        self._scope.cancel()


@final
class _Trio:
    """trio, also through anyio."""

    cancelled: type[BaseException] = trio.Cancelled

    def loop(self) -> TrioLoop:
        try:
            return _loops.get()
        except LookupError:
            loop = TrioLoop(GLOBAL_RUN_CONTEXT.runner)
            _loops.set(loop)
            return loop

    def task(self) -> Any:
        return getattr(GLOBAL_RUN_CONTEXT, "task", None)

    def name(self, task: Any) -> str:
        return str(task.name)

    def coroutine(self, task: Any) -> object:
        return task.coro

    def park(self, *, patient: bool = False) -> Parked[Any]:
        return _Parked(self.loop(), patient=patient)

    def spawn(self, work: Coroutine[Any, Any, None]) -> Spawned:
        return _Spawned(work)

    def rounds(self, seen: int) -> int:
        del seen  # a round has one task
        task = self.task()
        return 0 if task is None else int(task._schedule_points)

    async def pause(self) -> None:
        await trio.lowlevel.checkpoint()

    def watch_caller(self) -> Callable[[BaseException | None], bool]:
        # What trio cancels inside of the environment stays there.
        return lambda _: trio.current_effective_deadline() == -math.inf

    async def watch_for_cancel(
        self,
        application: Coroutine[Any, Any, _S],
        cancelled: Callable[[], None],
        context: Context | None = None,
    ) -> _S:
        """Await the application; `cancelled` is called before its clean-up begins."""
        del context  # it stays in its caller's task
        inner = trio.CancelScope(shield=True)
        answer: outcome.Outcome[_S] | None = None

        async def watch() -> None:
            try:
                await trio.sleep_forever()
            except trio.Cancelled:
                if not inner.shield:
                    raise
                cancelled()
                inner.cancel()
                raise

        async with trio.open_nursery() as nursery:
            nursery.start_soon(watch)
            with inner:
                answer = await outcome.acapture(_coroutine, application)
            inner.shield = False
            nursery.cancel_scope.cancel()
        if answer is None:
            await trio.lowlevel.checkpoint_if_cancelled()
            raise asyncio.CancelledError
        return answer.unwrap()


async def _coroutine(application: Coroutine[Any, Any, _S]) -> _S:
    return await application


TRIO: Library = _Trio()


@final
class _SessionClock(trio.abc.Clock):
    """The session's clock in trio's form."""

    def __init__(
        self, loops: Loops, deadlines: Any, guest_sleep: Callable[[float], float] | None
    ) -> None:
        """`guest_sleep` says how long a run in guest mode waits; it is called when that is idle."""
        self._loops = loops
        self._deadlines = deadlines
        self._guest_sleep = guest_sleep

    def start_clock(self) -> None:
        """Nothing to do: it runs already."""

    def current_time(self) -> float:
        if _getframe(1).f_code is _PROGRAM_READS:
            # The next one may be the environment's, which must not fire while the program works.
            return self._loops.read_clock(self._deadlines.next_deadline())
        return self._loops.clock.now

    def deadline_to_sleep_time(self, deadline: float) -> float:
        rest = deadline - self.current_time()
        return rest if self._guest_sleep is None else self._guest_sleep(rest)


@final
class TrioHook:
    """Sits between a run of trio and its input until it is removed."""

    stirred: int | None = None

    def __init__(self, loop: TrioLoop, loops: Loops, timers: Sequence[float] = ()) -> None:
        runner = loop.runner
        if isinstance(runner.clock, _SessionClock):
            raise UsageError("in a run of trio, only one cassette can be open at a time")
        self._test_runner = running_tests(runner) if runner.is_guest else None
        is_other_guest = runner.is_guest and self._test_runner is None
        if is_other_guest or not isinstance(runner.clock, SystemClock):
            raise UsageError("vcr-gen does not support trio in guest mode or with a MockClock")
        self.loop = loop
        self._runner = runner
        self._loops = loops
        self._clock = loops.clock
        self._own_clock = runner.clock
        self._ready: deque[Any] = deque()
        self._cancelled = 0
        self._timer: float | None = None
        self._installed = True
        self.shares = False
        self.timers = self._adopt_deadlines(timers)
        self._guest_wait: float | None = None
        """How long the idle run in guest mode waits now; None if it is not idle."""
        self._guest_events: Any = None
        guest_sleep = self._guest_sleep if runner.is_guest else None
        runner.clock = _SessionClock(loops, runner.deadlines, guest_sleep)
        self._io = runner.io_manager
        runner.io_manager = _HookedIO(self._io, self)

    def nothing_before(self, when: float) -> bool:
        """Never: a task of trio waits wherever it awaits."""
        del when
        return False

    def catch_up(self, when: float) -> None:
        """Nothing to do: a deadline of trio does not say when it was set."""
        del when

    def remove(self) -> None:
        """Restore the run; pending deadlines continue."""
        if not self._installed:
            return
        self._installed = False
        self._runner.io_manager = self._io
        self._runner.clock = self._own_clock
        self._runner.runq.extend(self._ready)
        self._ready.clear()
        now = self._own_clock.current_time()
        for scope in self._scopes():
            scope.deadline += now - self._clock.now

    def _scopes(self) -> list[Any]:
        """The scopes with deadlines, the earliest first."""
        scopes = {entry[2] for entry in self._runner.deadlines._heap}
        return sorted(
            (scope for scope in scopes if math.isfinite(scope.deadline)),
            key=lambda scope: scope.deadline,
        )

    def _adopt_deadlines(self, recorded: Sequence[float]) -> tuple[float, ...]:
        """Move the deadlines of the run to the session's clock, as far away as in the recording."""
        now = self._runner.clock.current_time()
        found = self._scopes()
        rests = [round(scope.deadline - now, 6) for scope in found]
        if len(recorded) == len(rests):
            rests = list(recorded)
        for scope, rest in zip(found, rests, strict=True):
            scope.deadline = self._clock.now + rest
        return tuple(rests)

    def get_events(self, timeout: float) -> Any:
        """Wait for input; when the run is idle, let the next event enter first."""
        if self._runner.is_guest:
            return self._guest_input(timeout)
        if self._ready or timeout <= 0:
            self._keep_busy()
            return self._io.get_events(0)
        if self._runner.waiting_for_idle:  # a task waits until all others are idle
            return self._io.get_events(timeout)
        hears = self._hears()
        if hears and not self._loops.session.one_by_one and (events := self._io.get_events(0)):
            return events
        wait = self._let_in(hears)
        events = self._io.get_events(wait)
        if wait != 0:
            self._wake()
        return events

    def _guest_sleep(self, rest: float) -> float:
        """How long an idle run in guest mode waits; then its host's thread is free.

        It waits in another thread, so the next event enters now.
        """
        if self._ready:
            return 0
        if self._runner.waiting_for_idle or is_between_tests(self._test_runner):
            return rest
        hears = self._hears()
        if hears and not self._loops.session.one_by_one:
            self._guest_events = self._io.get_events(0)
        self._guest_wait = 0 if self._guest_events else self._let_in(hears)
        return self._guest_wait

    def _guest_input(self, timeout: float) -> Any:
        """The input of a run in guest mode; a thread asks for it if there is a timeout."""
        if timeout > 0:
            return self._io.get_events(timeout)
        if self._guest_wait is None and not is_between_tests(self._test_runner):
            self._keep_busy()
        events, self._guest_events = self._guest_events, None
        return events or self._io.get_events(0)

    def _keep_busy(self) -> None:
        try:
            self._loops.session.busy()
        except DivergenceError as error:
            self._cancel_program(error)

    def _let_in(self, hears: bool) -> float:
        """Let the next event enter an idle run; how long to wait for input then."""
        deadline = self._runner.deadlines.next_deadline()
        self._timer = deadline if math.isfinite(deadline) else None
        try:
            wait = self._loops.session.idle(self._timer, hears=hears)
        except DivergenceError as error:
            self._cancel_program(error)
            return 0
        return _LONGEST if wait is None else wait

    def _wake(self) -> None:
        """Tell the session that a wait for input is over."""
        self._loops.session.woken(self._timer)
        if self._runner.entry_queue.size():
            self._loops.session.told_by_thread()

    def _hears(self) -> bool:
        """Whether a task waits for I/O, other than the task that other threads wake."""
        found = self._io.statistics()
        names = ("tasks_waiting_read", "tasks_waiting_write", "tasks_waiting")  # by system
        return sum(getattr(found, name, 0) for name in names) > 1

    def process_events(self, events: Any) -> None:
        """Find the tasks that became ready, and let only the first one run."""
        if self._guest_wait:
            self._wake()
        self._guest_wait = None
        self._io.process_events(events)
        runner = self._runner
        runner.deadlines.expire(runner.clock.current_time())
        self._ready.extend(sorted(runner.runq, key=lambda task: task._counter))
        runner.runq.clear()
        if self._ready:
            runner.runq.append(self._ready.popleft())

    def _cancel_program(self, divergence: DivergenceError) -> None:
        """Cancel a program in which no task waits for the tape: its close raises the divergence.

        Shields are for clean-up; at the second time they are removed, as a task may wait forever
        behind one. If the program continues anyway, its run ends with the divergence.
        """
        self._cancelled += 1
        if self._cancelled > _OFTEN:
            raise divergence
        if self._cancelled > 1:
            for task in self._runner.tasks:
                _unshield(task)
        self._runner.main_task.parent_nursery.cancel_scope.cancel()


def _unshield(task: Any) -> None:
    status = task._cancel_status
    while status is not None:
        status._scope.shield = False
        status = status._parent


@final
class _HookedIO:
    """trio's own input and output, with our way of waiting."""

    def __init__(self, real: Any, hook: TrioHook) -> None:
        self._real = real
        self.get_events = hook.get_events
        self.process_events = hook.process_events

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)
