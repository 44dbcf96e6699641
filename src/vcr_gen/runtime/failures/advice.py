"""The commands to run after a failure."""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import final

from vcr_gen.runtime.failures.call_sites import shown_path
from vcr_gen.runtime.modes import Choice


@final
@dataclass(frozen=True, slots=True)
class Advice:
    """The commands that fix a cassette."""

    path: Path
    choice: Choice
    """The mode, and what decided it."""
    record_with: str = ""
    """The command that records the session, if known."""

    def recording(self) -> str:
        """The command that records the session again; empty if no single command does."""
        if self.record_with:
            return self.record_with
        return (
            f"VCR_RECORD=1 {_this_test()}" if self.choice.follows_variable and _this_test() else ""
        )

    def migrating(self, *options: str) -> str:
        """The command that migrates the cassette to a changed Protocol."""
        return shlex.join(["vcr-gen", "cassette", "migrate", *options, shown_path(self.path)])

    def record(self, prelude: str) -> str:
        """A hint to record."""
        return f"{prelude}: {self.recording() or self._recording_in_words()}"

    def record_again(self) -> str:
        """A hint for an intended change."""
        return self.record("if the change is intended, record again")

    def migrate(self, *options: str) -> str:
        """A hint for a changed Protocol."""
        return f"update the cassette: {self.migrating(*options)}; {self.record('or record again')}"

    def _recording_in_words(self) -> str:
        if self.choice.follows_variable:
            return "run it with VCR_RECORD=1 in the environment"
        run = f" and run {_this_test()}" if _this_test() else ""
        return f'open the cassette with mode="all"{run}'


def _this_test() -> str:
    """The command that runs the current test; empty outside pytest."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    return f"pytest {shlex.quote(test)}" if test else ""
