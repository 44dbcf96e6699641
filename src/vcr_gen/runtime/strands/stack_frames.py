"""Whose code a frame runs: ours, Python's own, a test tool's, or the application's."""

import gc
import sys
import sysconfig
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[2]
_OURS: Final = (f"{_ROOT}/runtime/", f"{_ROOT}/boundaries/", f"{_ROOT}/cli/")
_PATHS: Final = sysconfig.get_paths()
_STANDARD: Final = tuple(
    f"{folder.rstrip('/')}/"
    for path in {_PATHS["stdlib"], _PATHS["platstdlib"]}
    for folder in (path, str(Path(path).resolve()))
)
_INSTALLED: Final = ("/site-packages/", "/dist-packages/")
_TOOLS: Final = frozenset(
    {
        "_pytest",
        "_pydevd_bundle",
        "coverage",
        "debugpy",
        "execnet",
        "hypothesis",
        "pluggy",
        "pydevd",
        "pytest",
        "pytest_asyncio",
        "pytest_cov",
        "xdist",
    }
)

PYTHON_ROOTS: Final = tuple(
    sorted(
        {
            f"{folder.rstrip('/')}/"
            for path in _PATHS.values()
            for folder in (path, str(Path(path).resolve()))
        }
    )
)
"""The folders of the interpreter and of installed packages."""

_MAY_COLLECT: Final = sys.version_info >= (3, 11, 9)
"""Before, Python may deadlock if it collects garbage while it lists frames: its issue 106883."""
_UNCOLLECTED: Final = threading.Lock()
"""Held while the garbage collector is off, so that no other thread switches it on again."""


def frames_of_threads() -> dict[int, FrameType]:
    """The innermost frame of every other thread, by the thread's number.

    The calling thread's own frame would hold the dictionary that holds it, and so keep alive what
    other threads had at hand until garbage is collected.
    """
    found = sys._current_frames() if _MAY_COLLECT else _current_frames_uncollected()
    del found[threading.get_ident()]
    return found


def _current_frames_uncollected() -> dict[int, FrameType]:
    with _UNCOLLECTED:
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return sys._current_frames()
        finally:
            if was_enabled:
                gc.enable()


def frame_of_thread(thread: threading.Thread) -> FrameType | None:
    """The frame a thread is in; for the calling thread, its caller's frame."""
    if thread is threading.current_thread():
        return sys._getframe(1)
    return frames_of_threads().get(thread.ident or 0)


def frames_from(frame: FrameType | None) -> Iterator[FrameType]:
    """The frame and its callers, innermost first."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def coroutine_frames(awaited: object) -> list[FrameType]:
    """The frames of a coroutine and of what it awaits, innermost first."""
    frames: list[FrameType] = []
    while awaited is not None:
        frame = getattr(awaited, "cr_frame", None) or getattr(awaited, "ag_frame", None)
        if isinstance(frame, FrameType):
            frames.append(frame)
        awaited = getattr(awaited, "cr_await", None) or getattr(awaited, "ag_await", None)
    return frames[::-1]


def is_ours(frame: FrameType) -> bool:
    """Whether it is code of vcr-gen."""
    return frame.f_code.co_filename.startswith(_OURS)


def is_neutral(frame: FrameType) -> bool:
    """Whether it works for its caller: Python's library, or code made on the fly."""
    file = frame.f_code.co_filename
    if file.startswith("<"):
        return True
    return file.startswith(_STANDARD) and not any(place in file for place in _INSTALLED)


def is_installed(frame: FrameType) -> bool:
    """Whether it is code of an installed package, such as a client library."""
    return any(place in frame.f_code.co_filename for place in _INSTALLED)


def is_tool(frame: FrameType) -> bool:
    """Whether it belongs to a test runner, or to another tool beside the application."""
    module = frame.f_globals.get("__name__")
    return isinstance(module, str) and module.partition(".")[0] in _TOOLS


def is_import(frame: FrameType) -> bool:
    """Whether it is Python importing a module."""
    return frame.f_code.co_filename.startswith("<frozen importlib")
