"""Places in the user's own code: which frame is theirs, and how a path is shown."""

import os
import sys
from collections.abc import Callable, Iterable
from types import FrameType

from vcr_gen.runtime.frames import frames_from, is_neutral, is_ours

__all__ = ["called_at", "shown_path", "site_among"]

IsGenerated = Callable[[object], bool]
"""Whether a module, by its name, holds wrappers."""


def called_at(is_generated: IsGenerated) -> str:
    """Where the application made the call that is being looked at."""
    return site_among(frames_from(sys._getframe(1)), is_generated)


def site_among(frames: Iterable[FrameType], is_generated: IsGenerated) -> str:
    """The first frame that is the application's, as `file:line in function`; or nothing."""
    for frame in frames:
        generated = is_generated(frame.f_globals.get("__name__"))
        if not generated and not is_ours(frame) and not is_neutral(frame):
            file = shown_path(frame.f_code.co_filename)
            return f"{file}:{frame.f_lineno} in {frame.f_code.co_name}"
    return ""


def shown_path(path: str | os.PathLike[str]) -> str:
    """A path as one would type it here: relative, where it lies below the working directory."""
    text = os.fspath(path)
    below = os.path.join(os.getcwd(), "")
    return text.removeprefix(below) or text
