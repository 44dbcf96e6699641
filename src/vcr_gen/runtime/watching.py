"""Telling a cancellation by the environment from one by the application."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

__all__ = ["as_answer", "cancelled_by_caller", "watch_for_cancel"]

_T = TypeVar("_T")


async def watch_for_cancel(
    application: Coroutine[Any, Any, _T], cancelled: Callable[[], None]
) -> _T:
    """Await the application; `cancelled` is called when the environment cancels the call.

    The application runs in a task of its own, as it does in a replay: what it cancels itself (its
    own `asyncio.timeout` cancels the task it runs in) stays inside, and what cancels the caller
    is seen here before the clean-up of the cancelled code, whose own calls must come later on the
    tape than what caused them.
    """
    task = asyncio.create_task(application)
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled()
            task.cancel(*error.args)
    return task.result()


def cancelled_by_caller() -> bool:
    """Whether the running task is being cancelled, rather than something it awaits."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def as_answer(error: BaseException) -> BaseException:
    """What the application answers an inbound call with, when it ends with this exception.

    A cancellation carries the message of whoever cancelled, often with an address in it: that is
    the caller's, and no part of the answer.
    """
    return asyncio.CancelledError() if isinstance(error, asyncio.CancelledError) else error
