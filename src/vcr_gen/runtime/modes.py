"""When a cassette records and when it replays."""

import os
from enum import Enum
from pathlib import Path

from vcr_gen.errors import UsageError

__all__ = ["Action", "Mode", "action_for", "mode_of"]


class Mode(Enum):
    """What to do with a cassette."""

    NONE = "none"
    """Replay only; anything that is not on the tape is an error."""
    ONCE = "once"
    """Replay if the cassette exists, else record."""
    NEW_EPISODES = "new_episodes"
    """Replay the tape; when it is used up, record what follows."""
    ALL = "all"
    """Record afresh; the cassette is replaced only on success."""
    VERIFY = "verify"
    """Call the real environment and compare what it says with the tape."""


class Action(Enum):
    """What a mode comes to for one cassette."""

    RECORD = "record"
    REPLAY = "replay"
    CONTINUE = "continue"
    VERIFY = "verify"


_ALIASES = {"rewrite": Mode.ALL}


def mode_of(mode: "str | Mode | None") -> Mode:
    """The mode that was asked for; `VCR_RECORD=1` in the environment records in any case.

    Without a word it is `once`, and `none` where the variable `CI` says that nobody watches.
    """
    if _is_set("VCR_RECORD"):
        return Mode.ALL
    if mode is None:
        return Mode.NONE if _is_set("CI") else Mode.ONCE
    if isinstance(mode, Mode):
        return mode
    if mode in _ALIASES:
        return _ALIASES[mode]
    try:
        return Mode(mode)
    except ValueError:
        words = ", ".join([*(known.value for known in Mode), *_ALIASES])
        raise UsageError(f"unknown mode {mode!r}: expected one of {words}") from None


def _is_set(name: str) -> bool:
    """Whether a variable says yes, by the rule of the pytest plugin."""
    return os.environ.get(name, "").lower() not in ("", "0", "false")


def action_for(mode: Mode, path: Path) -> Action:
    """What the mode comes to, given whether the cassette exists."""
    exists = os.path.lexists(path)
    match mode:
        case Mode.NONE:
            return Action.REPLAY
        case Mode.VERIFY:
            return Action.VERIFY
        case Mode.ALL:
            return Action.RECORD
        case Mode.ONCE:
            return Action.REPLAY if exists else Action.RECORD
        case Mode.NEW_EPISODES:
            return Action.CONTINUE if exists else Action.RECORD
