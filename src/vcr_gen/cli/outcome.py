"""Tells the outcome of a run: as text for people, as JSON for tools, as GitHub annotations."""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from vcr_gen.cli.terminal import Terminal, fall_silent
from vcr_gen.gen.diagnostics import Diagnostic

__all__ = ["DIFFERENT", "ERROR", "FINE", "FileNote", "Outcome", "counted", "tell"]

FINE: Final = 0
DIFFERENT: Final = 1
ERROR: Final = 2

_STATUS: Final = {FINE: "fine", DIFFERENT: "different", ERROR: "error"}
_COLORS: Final = {"wrote": "green", "missing": "red", "changed": "yellow"}


@dataclass(frozen=True, slots=True)
class FileNote:
    """One file and what was done to it, or what is wrong with it."""

    path: str
    kind: str
    what: str = ""
    """More about it, where the kind does not say it all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run came to."""

    code: int
    files: Sequence[FileNote] = ()
    diagnostics: Sequence[Diagnostic] = ()
    warnings: Sequence[Diagnostic] = ()
    text: str = ""
    """What was asked for: a page, a Protocol."""
    diff: str = ""
    summary: str = ""
    fix: str = ""
    """The command that mends it."""


def counted(number: int, one: str, many: str = "") -> str:
    """`1 problem`, `2 problems`, `3 boundaries`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def tell(outcome: Outcome, terminal: Terminal) -> int:
    """Print the outcome in the chosen format and return its exit code."""
    say = {"text": _text, "json": _json, "github": _github}[terminal.output_format]
    try:
        say(outcome, terminal)
        sys.stdout.flush()
    except BrokenPipeError:  # drift is drift, also for `vcr-gen --check | head`
        fall_silent()
    return outcome.code


def _text(outcome: Outcome, terminal: Terminal) -> None:
    if not terminal.quiet:
        for file in outcome.files:
            color = _COLORS.get(file.kind, "yellow")
            more = f": {file.what}" if file.what else ""
            terminal.data(f"{terminal.paint(file.kind, color)} {file.path}{more}")
    terminal.data(outcome.text)
    terminal.data(outcome.diff)
    sys.stdout.flush()
    for diagnostic in (*outcome.diagnostics, *(() if terminal.quiet else outcome.warnings)):
        print(diagnostic, file=sys.stderr)
    if outcome.summary:
        terminal.note(outcome.summary)
    if outcome.fix:
        terminal.note(f"to fix: {outcome.fix}")


def _json(outcome: Outcome, terminal: Terminal) -> None:
    document = {
        "status": _STATUS[outcome.code],
        "files": [_said(file) for file in outcome.files],
        "diagnostics": [asdict(one) for one in (*outcome.diagnostics, *outcome.warnings)],
        "text": outcome.text,
        "diff": outcome.diff,
        "summary": outcome.summary,
        "fix": outcome.fix,
    }
    terminal.data(json.dumps(document, indent=2))


def _said(file: FileNote) -> dict[str, str]:
    """What there is to say about a file."""
    return {key: value for key, value in asdict(file).items() if value}


def _github(outcome: Outcome, terminal: Terminal) -> None:
    for diagnostic in (*outcome.diagnostics, *outcome.warnings):
        hint = f"\nhint: {diagnostic.hint}" if diagnostic.hint else ""
        place = f"file={_property(_in_repository(diagnostic.path))}"
        if diagnostic.line:
            place += f",line={diagnostic.line},col={diagnostic.column}"
        title = f"title={diagnostic.code}"
        is_warning = outcome.code == FINE or diagnostic in outcome.warnings
        word = "warning" if is_warning else "error"
        terminal.data(f"::{word} {place},{title}::{_message(diagnostic.message + hint)}")
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
    """A path as GitHub looks for it: from the top of the repository, wherever this is run."""
    workspace = os.environ.get("GITHUB_WORKSPACE")
    place = Path.cwd() / path
    if workspace and place.is_relative_to(workspace):
        return place.relative_to(workspace).as_posix()
    return path


def _message(text: str) -> str:
    """Escape as GitHub's workflow commands want it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
