"""When a cassette records and when it replays."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from vcr_gen.errors import UsageError

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


@dataclass(frozen=True, slots=True)
class Choice:
    """The effective mode, and what decided it."""

    mode: Mode
    in_ci: bool = False
    """Whether `CI` is set."""
    ignored: str = ""
    """Why `VCR_RECORD=1` changed nothing; empty if it is not set, or is followed."""
    follows_variable: bool = True
    """Whether `VCR_RECORD=1` makes the cassette record, outside CI."""
    by_ci: bool = False
    """Whether `CI` decided, not a command line."""

    @property
    def refusal(self) -> str:
        """Why a missing cassette is not recorded."""
        what = f"mode {self.mode.value!r} does not record"
        if self.by_ci and self.mode is Mode.NONE:
            what = "nothing is recorded while CI is set"
        return f"{what}; {self.ignored}" if self.ignored else what


def chosen_on_command_line(environment: Mapping[str, str], mode: "str | Mode") -> Choice:
    """The choice of a command line, which wins over the code and the environment."""
    return Choice(named_mode(mode), in_ci=_is_set(environment, "CI"))


def choose(environment: Mapping[str, str], asked: "str | Mode | Choice | None") -> Choice:
    """The choice for code that names a mode, or none, in this environment.

    `VCR_RECORD=1` changes only the default and `once`: a test that asks for `none` must not reach
    the real environment. Where `CI` is set, only an explicit `all` records.
    """
    if isinstance(asked, Choice):  # of a command line, or of the pytest plugin
        return asked
    named = None if asked is None else named_mode(asked)
    follows = named in (None, Mode.ONCE)
    wanted = asks_to_record(environment)
    if _is_set(environment, "CI"):
        in_ci = named if named in (Mode.ALL, Mode.VERIFY) else Mode.NONE
        ignored = "VCR_RECORD=1 is ignored because CI is set" if wanted and follows else ""
        return Choice(in_ci, True, ignored, follows, by_ci=True)
    if wanted and follows:
        return Choice(Mode.ALL)
    mode = named or Mode.NONE
    ignored = f"VCR_RECORD=1 is ignored because the code names the mode {mode.value!r}"
    return Choice(mode, ignored=ignored if wanted else "", follows_variable=follows)


def asks_to_record(environment: Mapping[str, str]) -> bool:
    """Whether `VCR_RECORD` says yes.

    Any other word is an error: a user who writes `VCR_RECORD=none` does not want new cassettes.
    """
    word = environment.get("VCR_RECORD", "")
    if word.lower() not in (*_YES, *_NO):
        mode = word if word in {known.value for known in Mode} else "MODE"
        raise UsageError(
            f"VCR_RECORD must be 1 or 0; got {word!r}; "
            f"a mode is given to Cassette, or to pytest: --vcrgen-mode={mode}"
        )
    return word.lower() in _YES


def _is_set(environment: Mapping[str, str], name: str) -> bool:
    """Whether a variable is set to anything but a negative word."""
    return environment.get(name, "").lower() not in _NO


def records(mode: Mode, path: Path) -> bool:
    """Whether a mode records a new cassette at this path."""
    return mode is Mode.ALL or (
        mode in (Mode.ONCE, Mode.NEW_EPISODES) and not os.path.lexists(path)
    )
