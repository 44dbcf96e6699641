"""The one module that knows the formatters: black in process, ruff as one command for all texts."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.settings.config import Config, Formatter
from vcr_gen.gen.settings.versions import installed_version

__all__ = [
    "Progress",
    "RenderedFile",
    "Style",
    "Text",
    "format_files",
    "format_texts",
    "formatter_version",
    "is_settled",
    "no_progress",
    "style_of",
]

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the amount done and the total."""


@dataclass(frozen=True, slots=True)
class Style:
    """The settings of a formatter."""

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
    settled: bool = False
    """Whether black would leave it as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedFile:
    """One generated file before it is formatted."""

    path: Path
    text: str
    style: Style
    settled: bool
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
    """The texts that should be on disk, by path."""
    texts = [Text(config.display(file.path), file.text, file.style, file.settled) for file in files]
    return dict(zip((file.path for file in files), format_texts(texts, progress), strict=True))


def format_texts(texts: Sequence[Text], progress: Progress = no_progress) -> list[str]:
    """The texts as their formatters lay them out, in the same order."""
    formatted: dict[int, str] = {}
    for_ruff: dict[Style, list[int]] = {}
    problems: list[Diagnostic] = []
    for number, text in enumerate(texts):
        if text.style.formatter == "ruff":
            for_ruff.setdefault(text.style, []).append(number)
            continue
        try:
            formatted[number] = text.source if text.settled else _blackened(text)
        except RefusedError as error:
            problems += error.diagnostics
        progress(len(formatted), len(texts))
    for style, numbers in for_ruff.items():
        results = _run_ruff([texts[number] for number in numbers], style)
        formatted.update(zip(numbers, results, strict=True))
        progress(len(formatted), len(texts))
    if problems:
        raise RefusedError(problems)
    return [formatted[number] for number in range(len(texts))]


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
