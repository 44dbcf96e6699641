"""`vcr-gen verify`: compares the wrappers on disk with their Protocols and runs mypy on both."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.output.ownership import is_ours, owned_files, stale_files
from vcr_gen.gen.runs.format_outputs import format_outputs
from vcr_gen.gen.runs.generation import generate
from vcr_gen.gen.settings.config import Config
from vcr_gen.gen.verification.compare_modules import compare_modules
from vcr_gen.gen.verification.run_mypy import type_check

__all__ = ["Verdict", "verify_project"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The differences, and how much was compared."""

    diagnostics: tuple[Diagnostic, ...]
    boundaries: int
    files: int


def verify_project(config: Config, *, with_mypy: bool = True) -> Verdict:
    """Compare all wrappers with their Protocols, then run mypy on both.

    Raises `RefusedError` when a Protocol cannot be wrapped at all.
    """
    generation = generate(config)
    if generation.diagnostics:
        raise RefusedError(generation.diagnostics)
    wanted = format_outputs(config, generation.files, known={})
    found = list(_compare(config, wanted))
    if with_mypy:
        sources = {config.root / boundary.source for boundary in generation.boundaries}
        found += type_check(config, wrappers=wanted, sources=sources)
    return Verdict(
        diagnostics=tuple(sorted(set(found))),
        boundaries=len(generation.boundaries),
        files=len(generation.files),
    )


def _compare(config: Config, wanted: Mapping[Path, str]) -> Iterator[Diagnostic]:
    for path, text in wanted.items():
        shown = config.display(path)
        actual = _read(path)
        if actual is None:
            message = "the generated file is missing"
            yield Diagnostic(shown, 0, 0, "VCR314", message, "run vcr-gen")
        elif not is_ours(actual):
            message = "vcr-gen would write this file, but the existing one was not generated"
            yield Diagnostic(shown, 1, 1, "VCR301", message, "move it away")
        else:
            yield from compare_modules(shown, text, actual)
    for path in stale_files(config, wanted, owned_files(config.output)):
        message = "the generated file no longer has a Protocol"
        yield Diagnostic(config.display(path), 1, 1, "VCR314", message, "run vcr-gen")


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return None
