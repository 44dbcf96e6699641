"""trio as the library that runs a program's tasks, also through anyio.

Imported only where the program runs trio.
"""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, copy_context
from math import inf
from typing import Any, TypeVar, final

import outcome
import trio
from trio._core._run import GLOBAL_RUN_CONTEXT

from vcr_gen.errors import UsageError
from vcr_gen.runtime.loops.backends import Library, Loop, Parked, Spawned

__all__ = ["TRIO", "TrioLoop"]

_S = TypeVar("_S")


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
        return lambda _: trio.current_effective_deadline() == -inf

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
