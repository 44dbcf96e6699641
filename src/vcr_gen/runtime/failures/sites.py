"""Places in the user's own code: which frame is theirs, and how a path is shown."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any, TypeAlias

from vcr_gen.runtime.loops.backends import library_here
from vcr_gen.runtime.strands.frames import (
    coroutine_frames,
    frame_of_thread,
    frames_from,
    is_neutral,
    is_ours,
    is_tool,
)

__all__ = [
    "IsGenerated",
    "called_at",
    "shown_path",
    "site_among",
    "site_of_awaiter",
    "site_of_thread",
]

IsGenerated: TypeAlias = Callable[[object], bool]
"""Whether a module, by its name, holds wrappers."""


def called_at(is_generated: IsGenerated) -> str:
    """Where the application made the call that is being looked at, as `file:line in function`.

    A task that is nothing but the call (`gather(shell.run(…))`) has no frame of the application's:
    then it is where somebody awaits the task.
    """
    library = library_here()
    task = None if library is None else library.task()
    coroutine = library.coroutine(task) if library is not None and task is not None else None
    root = getattr(coroutine, "cr_frame", None)
    frames = []
    for frame in frames_from(sys._getframe(1)):
        frames.append(frame)
        if frame is root:
            break
    return site_among(frames, is_generated) or site_of_awaiter(task, is_generated)


def site_of_awaiter(task: object, is_generated: IsGenerated) -> str:
    """Where somebody awaits a task; empty where that is not known."""
    seen: set[object] = set()
    while isinstance(task, asyncio.Task) and task not in seen:
        seen.add(task)
        task = _awaiter_of(task)
        frames = coroutine_frames(None if task is None else task.get_coro())
        if site := site_among(frames, is_generated):
            return site
    return ""


def site_of_thread(thread: threading.Thread, is_generated: IsGenerated) -> str:
    """Where a thread stands; empty where that is not known, or a test tool's business."""
    frame = frame_of_thread(thread)
    return site_among((each for each in frames_from(frame) if not is_tool(each)), is_generated)


def site_among(frames: Iterable[FrameType], is_generated: IsGenerated) -> str:
    """The first frame that is the application's."""
    for frame in frames:
        module = frame.f_globals.get("__name__")
        neutral = is_neutral(frame) and module != "__main__"  # that may be typed into a console
        if not is_generated(module) and not is_ours(frame) and not neutral:
            file = shown_path(frame.f_code.co_filename)
            return f"{file}:{frame.f_lineno} in {frame.f_code.co_name}"
    return ""


def shown_path(path: str | os.PathLike[str]) -> str:
    """A path as one would type it here: relative, where it lies below the working directory."""
    text = os.fspath(path)
    below = os.path.join(os.getcwd(), "")
    return text.removeprefix(below) or text


def _awaiter_of(task: "asyncio.Task[Any]") -> "asyncio.Task[Any] | None":
    """The task that awaits another one, directly or in a `gather`."""
    for other in asyncio.all_tasks(task.get_loop()):
        awaited = getattr(other, "_fut_waiter", None)
        if awaited is task or task in getattr(awaited, "_children", ()):
            return other
    return None
