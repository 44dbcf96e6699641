"""The libraries that run a program's tasks: asyncio or trio, behind the same few methods."""

import sys
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, ContextVar
from typing import Any, Protocol, TypeVar

from vcr_gen.errors import UsageError

_T = TypeVar("_T")
_S = TypeVar("_S")

in_environment: ContextVar[bool] = ContextVar("vcr_gen_in_environment", default=False)
"""Whether the running code is the real environment's.

A context variable, because the tasks that it spawns are its own, too: they inherit the context.
"""

in_inbound_call: ContextVar[bool] = ContextVar("vcr_gen_in_inbound_call", default=False)
"""Whether the running code is what an inbound call started, also in tasks that it spawned."""


class Loop(Protocol):
    """The operations on a parked task that other threads may use."""

    def is_running(self) -> bool:
        """Whether it is busy."""

    def is_closed(self) -> bool:
        """Whether it has ended."""

    def call_soon_threadsafe(self, callback: Callable[..., Any], /, *args: Any) -> object:
        """Let it call something, from any thread."""


class Parked(Protocol[_T]):
    """Where a task waits until it may continue; asyncio's futures have this form."""

    def done(self) -> bool:
        """Whether the task may continue, or has gone."""

    def set_result(self, result: _T, /) -> None:
        """Let the task continue."""

    def set_exception(self, error: BaseException, /) -> None:
        """Let the task continue with an error."""

    def cancel(self) -> bool:
        """Release the task without an answer: the session is over."""

    def get_loop(self) -> Loop:
        """Where the task runs."""

    def __await__(self) -> Generator[Any, None, _T]: ...


class Spawned(Protocol):
    """A task that the runtime started."""

    def cancel(self) -> object:
        """Cancel it."""


class Library(Protocol):
    """One way of running tasks."""

    cancelled: type[BaseException]
    """The exception that ends a cancelled task."""

    def loop(self) -> Any:
        """The running loop, or the same object for as long as the library runs."""

    def task(self) -> Any:
        """The task that runs here; None between tasks."""

    def name(self, task: Any) -> str:
        """The name of a task."""

    def coroutine(self, task: Any) -> object:
        """The coroutine of a task."""

    def park(self, *, patient: bool = False) -> Parked[Any]:
        """A place to wait; a `patient` task was cancelled and waits until it may leave."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> Spawned:
        """Start a task in the loop that is idle."""

    def rounds(self, seen: int) -> int:
        """The rounds of the loop in which the task could run; `seen` is the number observed."""

    async def pause(self) -> None:
        """Let every other task that is ready continue once."""

    def watch_caller(self) -> Callable[[BaseException | None], bool]:
        """A check whether the running task itself was cancelled since, not something it awaits.

        The check takes the exception that the task was given to raise, if any.
        """

    async def watch_for_cancel(
        self,
        application: Coroutine[Any, Any, _S],
        cancelled: Callable[[], None],
        context: Context | None = None,
    ) -> _S:
        """Await the application; `cancelled` is called when the environment cancels the call.

        It runs in the given context, if there is one and the application gets a separate task.
        """


_current: Callable[[], object] | None = None
_asyncio: Library | None = None


def running_loop() -> Any:
    """asyncio's loop that runs here, if one does; imports nothing in a program without asyncio."""
    global _current  # noqa: PLW0603 - found once, in the module that a program with a loop has
    if _current is None:
        _current = getattr(sys.modules.get("asyncio.events"), "_get_running_loop", None)
    return None if _current is None else _current()


def library_here() -> Library | None:
    """The library that runs the calling code; None where no loop runs.

    trio is not imported here: a program that runs it has imported it.
    """
    global _asyncio  # noqa: PLW0603 - loaded once, by a program that runs a loop
    if running_loop() is not None:
        if _asyncio is None:
            from vcr_gen.runtime.loops.asyncio_backend import ASYNCIO

            _asyncio = ASYNCIO
        return _asyncio
    in_trio_run = getattr(sys.modules.get("trio.lowlevel"), "in_trio_run", None)
    if in_trio_run is not None and in_trio_run():
        from vcr_gen.runtime.extras.trio_support import TRIO

        return TRIO
    return None


def running_library() -> Library:
    """The library that runs the calling asynchronous code."""
    found = library_here()
    if found is None:
        raise UsageError("asynchronous calls need a running asyncio or trio event loop")
    return found


def as_answer(error: BaseException) -> BaseException:
    """The exception as the application's answer: cancellations lose their message.

    The code that cancels chooses the message, and often puts an address in it. So the message is
    no part of the answer, alone or in a group.
    """
    library = library_here()
    if library is None:
        return error
    if isinstance(error, library.cancelled):
        from asyncio import CancelledError

        return CancelledError()
    if isinstance(error, BaseExceptionGroup) and error.subgroup(library.cancelled) is not None:
        return error.derive([as_answer(each) for each in error.exceptions])
    return error
