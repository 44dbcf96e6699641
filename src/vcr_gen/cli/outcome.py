"""Prints the outcome of a run as text, JSON or GitHub annotations."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from vcr_gen.cli.terminal import Terminal, fall_silent
from vcr_gen.errors import DivergenceError, VcrError
from vcr_gen.gen.diagnostics import Diagnostic

FINE: Final = 0
DIFFERENT: Final = 1
ERROR: Final = 2

_STATUS: Final = {FINE: "fine", DIFFERENT: "different", ERROR: "error"}
_COLORS: Final = {"wrote": "green", "missing": "red", "changed": "yellow"}


@dataclass(frozen=True, slots=True)
class FileNote:
    """A file and what happened to it, or what is wrong with it."""

    path: str
    kind: str
    what: str = ""
    """Details, where the kind does not say everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a run."""

    code: int
    files: Sequence[FileNote] = ()
    diagnostics: Sequence[Diagnostic] = ()
    text: str = ""
    """The requested data: a page, a Protocol, a table."""
    document: Mapping[str, object] | None = None
    """The fields of the JSON document; None if they are those of this class."""
    found: Sequence[Diagnostic] = ()
    """The problems that the command looks for: they are data, too."""
    diff: str = ""
    summary: str = ""
    fix: str = ""
    """The command that fixes it."""


def counted(number: int, singular: str, plural: str = "") -> str:
    """`1 problem`, `2 problems`, `3 boundaries`."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


def print_outcome(outcome: Outcome, terminal: Terminal) -> int:
    """Print the outcome in the chosen format and return its exit code."""
    say = {"text": _text, "json": _json, "github": _github}[terminal.output_format]
    try:
        say(outcome, terminal)
        sys.stdout.flush()
    except BrokenPipeError:  # the exit code still reports drift in `vcr-gen --check | head`
        fall_silent()
    return outcome.code


def _text(outcome: Outcome, terminal: Terminal) -> None:
    if not terminal.quiet:
        for file in outcome.files:
            color = _COLORS.get(file.kind, "yellow")
            more = f": {file.what}" if file.what else ""
            terminal.data(f"{terminal.paint(file.kind, color)} {file.path}{more}")
    for diagnostic in outcome.found:
        terminal.data(str(diagnostic))
    terminal.data(outcome.text)
    terminal.data(outcome.diff)
    sys.stdout.flush()
    for diagnostic in outcome.diagnostics:
        print(diagnostic, file=sys.stderr)
    if outcome.summary:
        terminal.note(outcome.summary)
    if outcome.fix:
        terminal.note(f"to fix: {outcome.fix}")


def _json(outcome: Outcome, terminal: Terminal) -> None:
    if outcome.document is not None:
        terminal.document({"status": _STATUS[outcome.code], **outcome.document})
        return
    document = {
        "status": _STATUS[outcome.code],
        "files": [_said(file) for file in outcome.files],
        "diagnostics": [asdict(diagnostic) for diagnostic in outcome.diagnostics],
        "text": outcome.text,
        "diff": outcome.diff,
        "summary": outcome.summary,
        "fix": outcome.fix,
    }
    terminal.document(document)


def _said(file: FileNote) -> dict[str, str]:
    return {key: value for key, value in asdict(file).items() if value}


def _github(outcome: Outcome, terminal: Terminal) -> None:
    for diagnostic in (*outcome.found, *outcome.diagnostics):
        hint = f"\nhint: {diagnostic.hint}" if diagnostic.hint else ""
        place = f"file={_property(_in_repository(diagnostic.path))}"
        if diagnostic.line:
            place += f",line={diagnostic.line}"
        if diagnostic.column:
            place += f",col={diagnostic.column}"
        title = f",title={diagnostic.code}" if diagnostic.code else ""
        word = "warning" if outcome.code == FINE else "error"
        terminal.data(f"::{word} {place}{title}::{_message(diagnostic.message + hint)}")
    terminal.data(outcome.text)
    terminal.data(outcome.diff)
    if outcome.code == DIFFERENT and outcome.fix:
        for file in outcome.files:
            message = _message(f"generated file is {file.kind}; to fix: {outcome.fix}")
            path = _property(_in_repository(file.path))
            terminal.data(f"::error file={path},title=drift::{message}")
    if outcome.summary:
        terminal.note(outcome.summary)


def _in_repository(path: str) -> str:
    """A path relative to the top of the repository, as GitHub expects it."""
    workspace = os.environ.get("GITHUB_WORKSPACE")
    place = Path.cwd() / path
    if workspace and place.is_relative_to(workspace):
        return place.relative_to(workspace).as_posix()
    return path


def _message(text: str) -> str:
    """Escape a text for GitHub's workflow commands."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def explain(error: BaseException) -> str:
    """The message for an unhandled exception: what failed and what to do, without a traceback."""
    if isinstance(error, VcrError | DivergenceError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename is not None else ""
        return f"vcr-gen: {place}{error.strerror}"
    return (
        f"vcr-gen: internal error: {type(error).__name__}: {error}\n"
        "  hint: this is a bug in vcr-gen, please report it; "
        "VCR_GEN_DEBUG=1 in the environment shows the traceback"
    )
