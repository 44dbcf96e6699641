"""When a cassette records and when it replays."""

import os
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Final

from vcr_gen.errors import UsageError

__all__ = [
    "Mode",
    "asks_to_record",
    "follows_variable",
    "is_set",
    "mode_in",
    "named_mode",
    "records",
]

_YES: Final = ("1", "true", "yes", "on")
_NO: Final = ("", "0", "false", "no", "off")


class Mode(Enum):
    """What to do with a cassette."""

    NONE = "none"
    """Replay only; anything that is not on the tape is an error."""
    ONCE = "once"
    """Replay if the cassette exists, else record."""
    NEW_EPISODES = "new_episodes"
    """Replay the tape; when it is used up, record what follows."""
    ALL = "all"
    """Record again; the cassette is replaced only on success."""
    VERIFY = "verify"
    """Call the real environment and compare its answers with the tape."""


_ALIASES = {"rewrite": Mode.ALL}


def named_mode(mode: "str | Mode") -> Mode:
    """The mode with this name."""
    if isinstance(mode, Mode):
        return mode
    if mode in _ALIASES:
        return _ALIASES[mode]
    try:
        return Mode(mode)
    except ValueError:
        words = ", ".join([*(known.value for known in Mode), *_ALIASES])
        raise UsageError(f"unknown mode {mode!r}: expected one of {words}") from None


def mode_in(environment: Mapping[str, str], *, asked: Mode | None, default: Mode) -> Mode:
    """The effective mode, given the environment variables.

    `VCR_RECORD=1` changes only the default and `once`: a test that asks for `none` must not reach
    the real environment. Where `CI` is set, only an explicit `all` records.
    """
    records = asks_to_record(environment)
    if is_set(environment, "CI"):
        return asked if asked in (Mode.ALL, Mode.VERIFY) else Mode.NONE
    if records and follows_variable(asked):
        return Mode.ALL
    return asked or default


def follows_variable(asked: Mode | None) -> bool:
    """Whether `VCR_RECORD=1` can make a cassette that asks for this mode record."""
    return asked in (None, Mode.ONCE)


def asks_to_record(environment: Mapping[str, str]) -> bool:
    """Whether `VCR_RECORD` says yes.

    Any other word is an error: a user who writes `VCR_RECORD=none` does not want new cassettes.
    """
    word = environment.get("VCR_RECORD", "")
    if word.lower() not in (*_YES, *_NO):
        raise UsageError(
            f"VCR_RECORD must be 1 or 0; got {word!r}; "
            "a mode is given to Cassette, or to pytest: --vcrgen-mode=none"
        )
    return word.lower() in _YES


def is_set(environment: Mapping[str, str], name: str) -> bool:
    """Whether a variable is set to anything but a negative word."""
    return environment.get(name, "").lower() not in _NO


def records(mode: Mode, path: Path) -> bool:
    """Whether a mode records a new cassette at this path."""
    return mode is Mode.ALL or (
        mode in (Mode.ONCE, Mode.NEW_EPISODES) and not os.path.lexists(path)
    )
