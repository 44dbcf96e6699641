"""The one module that knows the formatters: black in process, ruff as one command for all texts."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.processes.cores import Advance, Rounds, shares, work_together
from vcr_gen.gen.rendering.stable import is_stable
from vcr_gen.gen.settings.config import Config, Formatter
from vcr_gen.gen.settings.versions import installed_version

__all__ = ["Style", "Text", "format_texts", "formatter_version", "style_of"]

_WORTH: Final = 32
"""Texts that take about as long to look at as a process to start."""


@dataclass(frozen=True, slots=True)
class Style:
    """What decides how a text is laid out."""

    formatter: Formatter
    line_length: int
    target_version: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Text:
    """One text to format."""

    name: str
    """As shown in a diagnostic."""
    source: str
    style: Style


def style_of(config: Config) -> Style:
    """The style that a configuration asks for."""
    return Style(config.formatter, config.line_length, config.target_version)


def formatter_version(formatter: Formatter) -> str:
    """The version of a formatter; what it wrote last time may be reused only under the same."""
    return installed_version(formatter) or (_ruff_version() if formatter == "ruff" else "")


def format_texts(texts: Sequence[Text], *, jobs: int, advance: Advance) -> list[str]:
    """The texts as their formatters lay them out, in the same order.

    `advance` is told how many more texts are done.
    """
    formatted: dict[int, str] = {}
    for_black: list[int] = []
    for_ruff: dict[Style, list[int]] = {}
    for number, text in enumerate(texts):
        if text.style.formatter == "ruff":
            for_ruff.setdefault(text.style, []).append(number)
        else:
            for_black.append(number)
    for style, numbers in for_ruff.items():
        results = _run_ruff([texts[number] for number in numbers], style)
        formatted.update(zip(numbers, results, strict=True))
        advance(len(numbers))
    given = shares([(number, texts[number]) for number in for_black], jobs, worth=_WORTH)
    problems: list[Diagnostic] = []
    for changed, rejected in work_together(_lay_out, given, advance=advance):
        formatted.update(changed)
        problems += rejected
    if problems:
        raise RefusedError(problems)
    return [formatted.get(number, text.source) for number, text in enumerate(texts)]


def _lay_out(
    share: Sequence[tuple[int, Text]], advance: Advance
) -> Rounds[None, tuple[dict[int, str], list[Diagnostic]]]:
    """What black makes of texts, by number, unless it leaves them alone; and what it rejects."""
    yield None  # nobody needs to know what others found out
    changed: dict[int, str] = {}
    problems: list[Diagnostic] = []
    for number, text in share:
        if not is_stable(text.source, text.style.line_length):
            try:
                changed[number] = _blackened(text)
            except RefusedError as error:
                problems += error.diagnostics
        advance(1)
    return changed, problems


def _blackened(text: Text) -> str:
    # Imported here: a run that finds everything unchanged must not pay for it.
    import black
    from black.mode import Mode, TargetVersion
    from black.parsing import InvalidInput

    style = text.style
    known = [version.name for version in TargetVersion]
    target = f"PY{style.target_version[0]}{style.target_version[1]}"
    mode = Mode(
        line_length=style.line_length,
        target_versions={TargetVersion[target]} if target in known else set(),
    )
    try:
        return black.format_str(text.source, mode=mode)
    except (InvalidInput, AssertionError, ValueError, RecursionError) as error:
        raise RefusedError([_rejected(text.name, "black", str(error))]) from error


def _run_ruff(texts: list[Text], style: Style) -> list[str]:
    """Ruff formats a folder in one run; one process per text would cost more than black."""
    major, minor = style.target_version
    with tempfile.TemporaryDirectory(prefix="vcr-gen-") as name:
        files = [Path(name, f"text_{number}.py") for number in range(len(texts))]
        for file, text in zip(files, texts, strict=True):
            file.write_text(text.source, encoding="utf-8", newline="\n")
        command = [
            *(_find_ruff(), "format", "--isolated", "--no-cache"),
            *("--line-length", str(style.line_length), "--target-version", f"py{major}{minor}"),
            name,
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            told = [
                _rejected(text.name, "ruff", line.partition(f"{file.name}:")[2])
                for file, text in zip(files, texts, strict=True)
                for line in done.stderr.splitlines()
                if f"{file.name}:" in line
            ]
            raise RefusedError(told or [_rejected("ruff", "ruff", done.stderr.strip())])
        return [file.read_text(encoding="utf-8") for file in files]


def _find_ruff() -> str:
    beside = shutil.which("ruff", path=os.fspath(Path(sys.executable).parent))
    found = beside or shutil.which("ruff")
    if found is None:
        message = '`formatter = "ruff"`, but ruff is not installed'
        hint = 'pip install ruff, or set `formatter = "black"` in [tool.vcr-gen]'
        raise RefusedError([Diagnostic("pyproject.toml", 0, 0, "VCR410", message, hint)])
    return found


def _ruff_version() -> str:
    done = subprocess.run([_find_ruff(), "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _rejected(name: str, formatter: str, reason: str) -> Diagnostic:
    message = f"{formatter} cannot format the generated text: {reason}"
    hint = "if templates are overridden (`template-dir`), look there; otherwise please report this"
    return Diagnostic(name, 0, 0, "VCR305", message, hint)
