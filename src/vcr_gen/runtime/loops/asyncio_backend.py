"""asyncio as the runtime uses it; loaded by programs that run a loop of it."""

import asyncio
import sys
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextvars import Context
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar, final

from vcr_gen.runtime.loops.backends import Library, Parked, Spawned

_T = TypeVar("_T")
_S = TypeVar("_S")

_LEAVES_GROUP: Final = asyncio.TaskGroup.__aexit__.__code__


@final
class _Patient(asyncio.Future[_T]):
    """Holds a cancelled task until it may leave; the task cannot be cancelled again."""

    def cancel(self, msg: object = None) -> bool:
        """Report success: the task has already been cancelled."""
        del msg
        return True


@final
class _Asyncio:
    """asyncio, for all of its event loops."""

    cancelled: type[BaseException] = asyncio.CancelledError

    def loop(self) -> Any:
        return asyncio.get_running_loop()

    def task(self) -> Any:
        return asyncio.current_task()

    def name(self, task: Any) -> str:
        return str(task.get_name())

    def coroutine(self, task: Any) -> object:
        return task.get_coro()

    def park(self, *, patient: bool = False) -> Parked[Any]:
        loop = asyncio.get_running_loop()
        return _Patient(loop=loop) if patient else loop.create_future()

    def spawn(self, work: Coroutine[Any, Any, None]) -> Spawned:
        return asyncio.get_running_loop().create_task(work)

    def rounds(self, seen: int) -> int:
        return seen

    async def pause(self) -> None:
        await asyncio.sleep(0)

    def watch_caller(self) -> Callable[[BaseException | None], bool]:
        task: Any = asyncio.current_task()
        if task is None:
            return lambda _: False
        # A cancellation that was requested but not delivered yet still counts as a later one.
        seen = task.cancelling() - bool(task._must_cancel)
        return lambda error: task.cancelling() - _left_by_groups(task, error) > seen

    async def watch_for_cancel(
        self,
        application: Coroutine[Any, Any, _S],
        cancelled: Callable[[], None],
        context: Context | None = None,
    ) -> _S:
        """Await the application; `cancelled` is called when the environment cancels the call.

        The application runs in a separate task, as it does in a replay. Its own cancellations stay
        inside: `asyncio.timeout` cancels the task it runs in. A cancellation of the caller is seen
        here before the cancelled code cleans up. The calls of that clean-up must come later on the
        tape than the cancellation.

        `asyncio.run` cancels all tasks at its end, so both of these: the application's task may
        be the first to continue. anyio repeats a cancellation before the application can continue;
        the repetition is ignored.
        """
        caller = asyncio.current_task()
        assert caller is not None
        seen = caller.cancelling()
        seen_inside = told = False

        def look(error: BaseException | None) -> None:
            nonlocal seen, seen_inside, told
            if isinstance(error, asyncio.CancelledError) and caller.cancelling() > seen:
                seen, seen_inside = caller.cancelling(), True
                if not told:
                    cancelled()
            told = False

        task = asyncio.create_task(_seen_cancelled(application, look), context=context)
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError as error:
                if not seen_inside and not told:
                    cancelled()
                    task.cancel(*error.args)
                    told = True
                seen, seen_inside = caller.cancelling(), False
        application.close()  # a task that was cancelled too early never began it
        return task.result()


_Look: TypeAlias = Callable[[BaseException | None], None]


async def _seen_cancelled(work: Coroutine[Any, Any, _S], look: _Look) -> _S:
    """Run a coroutine; call `look` each time before it resumes, with the exception if any."""
    return await _Looking(work, look)


@final
class _Looking(Awaitable[_S]):
    def __init__(self, work: Coroutine[Any, Any, _S], look: _Look) -> None:
        self._work = work
        self._look = look

    def __await__(self) -> Generator[Any, Any, _S]:
        go_on: Callable[[], Any] = partial(self._work.send, None)
        while True:
            try:
                awaited = go_on()
            except StopIteration as finished:
                result: _S = finished.value
                return result
            try:
                go_on = partial(self._work.send, (yield awaited))
                self._look(None)
            except GeneratorExit:
                self._work.close()
                raise
            except BaseException as error:
                self._look(error)
                go_on = partial(self._work.throw, error)


ASYNCIO: Library = _Asyncio()


def _left_by_groups(task: object, error: BaseException | None) -> int:
    """How many cancellations of a task were left behind by its own failed task groups.

    Before Python 3.13, a group that fails while it waits for its tasks does not undo its own.
    """
    if sys.version_info >= (3, 13) or error is None:
        return 0
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    left = [frame.f_locals["self"] for frame in frames if frame.f_code is _LEAVES_GROUP]
    return sum(group._parent_task is task and group._parent_cancel_requested for group in left)
