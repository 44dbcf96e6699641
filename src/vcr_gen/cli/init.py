"""`vcr-gen --init`: sets a project up."""

import os
from pathlib import Path

from vcr_gen.cli.outcome import FINE, FileNote, Outcome, tell
from vcr_gen.cli.terminal import Terminal
from vcr_gen.gen.init import setup_steps
from vcr_gen.gen.output.write import write_file

__all__ = ["run_init"]


def run_init(root: Path, terminal: Terminal) -> int:
    """Take every step that is still needed, and say what each one did."""
    files = []
    for step in list(setup_steps(root)):
        verb = "kept"
        if step.text:
            verb = "added to" if step.path.exists() else "wrote"
            write_file(step.path.resolve(), step.text)  # a link stays one
        shown = Path(os.path.relpath(step.path, root)).as_posix()
        files.append(FileNote(shown, verb, step.what))
    summary = (
        "next: run vcr-gen, add the generated folder to version control, "
        "and to `pythonpath` of pytest"
    )
    return tell(Outcome(code=FINE, files=files, summary=summary), terminal)
