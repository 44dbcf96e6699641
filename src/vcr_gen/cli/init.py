"""`vcr-gen --init`: sets a project up."""

from pathlib import Path

from vcr_gen.cli.report import FINE, FileNote, Outcome, tell
from vcr_gen.cli.terminal import Terminal
from vcr_gen.gen.init import setup_steps
from vcr_gen.gen.write import write_file

__all__ = ["run_init"]


def run_init(root: Path, terminal: Terminal) -> int:
    """Take every step that is still needed, and say what each one did."""
    files = []
    for step in list(setup_steps(root)):
        verb = "kept"
        if step.text:
            verb = "added to" if step.path.exists() else "wrote"
            write_file(step.path.resolve(), step.text)  # a link stays one
        files.append(FileNote(step.path.relative_to(root).as_posix(), verb, step.what))
    summary = (
        "next: run vcr-gen, add the generated folder to version control, "
        "and to `pythonpath` of pytest"
    )
    return tell(Outcome(code=FINE, files=files, summary=summary), terminal)
