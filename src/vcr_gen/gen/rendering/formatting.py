"""The one module that knows the formatters: black in process, ruff as one command for all texts."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.settings.config import Config, Formatter
from vcr_gen.gen.settings.versions import installed_version

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the amount done and the total."""


@dataclass(frozen=True, slots=True)
class Style:
    """The settings of a formatter."""

    formatter: Formatter
    line_length: int
    target_version: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedFile:
    """One generated file before it is formatted."""

    path: Path
    text: str
    style: Style
    settled: bool = False
    """Whether black would leave the text as it is."""
    source: str | None = None
    """The source file, as the text names it; None for the `__init__` of a package."""


def no_progress(done: int, total: int) -> None:
    """Report nothing."""


def style_of(config: Config) -> Style:
    """The style that a configuration asks for."""
    return Style(config.formatter, config.line_length, config.target_version)


def is_settled(text: str, line_length: int) -> bool:
    """Whether black would leave a text alone that our own templates rendered.

    They lay out everything as black does, and break each line that is too long at its brackets. So
    black can change only lines that are still too long, and it never breaks a docstring. Lines with
    characters outside ASCII are left to black: it counts some of them twice, and some not at all.
    """
    in_docstring = False
    for line in text.split("\n"):
        body = line.lstrip(" ")
        if in_docstring:
            in_docstring = not body.endswith('"""')
        elif body.startswith('"""'):
            in_docstring = not body.endswith('"""', 3)
        elif len(line) > line_length or not line.isascii():
            return False
    return True


def formatter_version(formatter: Formatter) -> str:
    """The version of a formatter; its output is reused only if the version is the same."""
    return installed_version(formatter) or (_ruff_version() if formatter == "ruff" else "")


def format_files(
    config: Config, files: Sequence[RenderedFile], progress: Progress = no_progress
) -> dict[Path, str]:
    """The texts as their formatters lay them out, by path, in the same order."""
    formatted: dict[Path, str] = {}
    for_ruff: dict[Style, list[RenderedFile]] = {}
    problems: list[Diagnostic] = []
    for file in files:
        if file.style.formatter == "ruff":
            for_ruff.setdefault(file.style, []).append(file)
            continue
        try:
            formatted[file.path] = file.text if file.settled else _blackened(config, file)
        except RefusedError as error:
            problems += error.diagnostics
        progress(len(formatted), len(files))
    for style, group in for_ruff.items():
        formatted.update(_run_ruff(config, group, style))
        progress(len(formatted), len(files))
    if problems:
        raise RefusedError(problems)
    return {file.path: formatted[file.path] for file in files}


def _blackened(config: Config, file: RenderedFile) -> str:
    # Imported here: a run that finds everything unchanged must not pay for it.
    import black
    from black.mode import Mode, TargetVersion
    from black.parsing import InvalidInput

    style = file.style
    known = [version.name for version in TargetVersion]
    target = f"PY{style.target_version[0]}{style.target_version[1]}"
    mode = Mode(
        line_length=style.line_length,
        target_versions={TargetVersion[target]} if target in known else set(),
    )
    try:
        return black.format_str(file.text, mode=mode)
    except (InvalidInput, AssertionError, ValueError, RecursionError) as error:
        raise RefusedError([_rejected(config.display(file.path), "black", str(error))]) from error


def _run_ruff(
    config: Config, files: Sequence[RenderedFile], style: Style
) -> Iterator[tuple[Path, str]]:
    """Ruff formats a folder in one run; one process per text would cost more than black."""
    major, minor = style.target_version
    with tempfile.TemporaryDirectory(prefix="vcr-gen-") as name:
        copies = {Path(name, f"text_{number}.py"): file for number, file in enumerate(files)}
        for copy, file in copies.items():
            copy.write_text(file.text, encoding="utf-8", newline="\n")
        command = [
            *(_find_ruff(), "format", "--isolated", "--no-cache"),
            *("--line-length", str(style.line_length), "--target-version", f"py{major}{minor}"),
            name,
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            told = [
                _rejected(config.display(file.path), "ruff", line.partition(f"{copy.name}:")[2])
                for copy, file in copies.items()
                for line in done.stderr.splitlines()
                if f"{copy.name}:" in line
            ]
            raise RefusedError(told or [_rejected("ruff", "ruff", done.stderr.strip())])
        for copy, file in copies.items():
            yield file.path, copy.read_text(encoding="utf-8")


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
