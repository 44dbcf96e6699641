"""What to run next, as exactly as it can be known."""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import final

from vcr_gen.runtime.sites import shown_path

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

    def migrating(self) -> str:
        """The command that rewrites the cassette for a Protocol that changed."""
        return f"vcr-gen cassette migrate {shlex.quote(shown_path(self.path))}"

    def record(self, condition: str = "") -> str:
        """Advice to record, in words."""
        command = self.recording()
        how = command or "run it with VCR_RECORD=1 in the environment"
        return f"{condition}, record again: {how}" if condition else f"record it: {how}"
