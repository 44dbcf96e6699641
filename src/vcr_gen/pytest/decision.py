"""Which mode a test's cassette is opened in: who asked for what, and who wins."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from vcr_gen.runtime.modes import asks_to_record, is_set

__all__ = ["Decision", "decide"]

_NOT_RECORDING: Final = ("none", "verify")


@dataclass(frozen=True, slots=True)
class Decision:
    """A mode, and what to tell the user about it."""

    mode: str
    ignored: str = ""
    """What was asked for and is not done, because `CI` is set; empty when nothing was."""


def decide(
    *, command_line: str | None, asked: str | None, environment: Mapping[str, str]
) -> Decision:
    """The command line wins, then `VCR_RECORD`, then marker and configuration; else `none`.

    Where `CI` says that nobody watches, only the command line can make a test record.
    """
    if command_line is not None:
        return Decision(_plain(command_line))
    watched = not is_set(environment, "CI")
    if asks_to_record(environment):
        return Decision("all") if watched else Decision("none", "VCR_RECORD")
    mode = _plain(asked or "none")
    if watched or mode in _NOT_RECORDING:
        return Decision(mode)
    return Decision("none", f"mode {mode!r}")


def _plain(mode: str) -> str:
    return "all" if mode == "rewrite" else mode
