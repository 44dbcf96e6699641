"""Which mode a test's cassette is opened in: who asked for what, and who wins."""

from collections.abc import Mapping
from dataclasses import dataclass

from vcr_gen.runtime.modes import Mode, asks_to_record, is_set, mode_in, named_mode

__all__ = ["Decision", "decide"]


@dataclass(frozen=True, slots=True)
class Decision:
    """A mode, and what to tell the user about it."""

    mode: str
    ignored: str = ""
    """What was asked for and is not done, because `CI` is set; empty when nothing was."""


def decide(
    *, command_line: str | None, asked: str | None, environment: Mapping[str, str]
) -> Decision:
    """The command line wins; else marker or configuration, as the environment allows it."""
    if command_line is not None:
        return Decision(named_mode(command_line).value)
    explicit = None if asked is None else named_mode(asked)
    mode = mode_in(environment, asked=explicit, default=Mode.NONE)
    ignored = ""
    if is_set(environment, "CI") and mode is Mode.NONE:
        if explicit in (Mode.ONCE, Mode.NEW_EPISODES):
            ignored = f"mode {explicit.value!r}"
        elif explicit is None and asks_to_record(environment):
            ignored = "VCR_RECORD"
    return Decision(mode.value, ignored)
