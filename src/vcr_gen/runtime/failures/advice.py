"""What to run next, as exactly as it can be known."""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import final

from vcr_gen.runtime.failures.sites import shown_path

__all__ = ["Advice"]


@final
@dataclass(frozen=True, slots=True)
class Advice:
    """The commands that put a cassette right."""

    path: Path
    record_with: str = ""
    """The command that records the session, where somebody knows it."""

    def recording(self) -> str:
        """The command that records the session again; empty where it is not known."""
        if self.record_with:
            return self.record_with
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
        return f"VCR_RECORD=1 pytest {shlex.quote(test)}" if test else ""

    def migrating(self, *options: str) -> str:
        """The command that rewrites the cassette for a Protocol that changed."""
        return shlex.join(["vcr-gen", "cassette", "migrate", *options, shown_path(self.path)])

    def record(self, prelude: str) -> str:
        """Advice to record, in words."""
        how = self.recording() or "run it with VCR_RECORD=1 in the environment"
        return f"{prelude}: {how}"

    def record_again(self) -> str:
        """Advice for who changed something."""
        return self.record("if the change is meant, record again")

    def migrate(self, *options: str) -> str:
        """Advice for who changed a Protocol."""
        return f"bring it up to date: {self.migrating(*options)}; {self.record('or record again')}"
