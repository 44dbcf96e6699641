"""`vcr-gen verify`: compares the wrappers on disk with their Protocols and runs mypy on both.

mypy accepts a renamed positional parameter, a changed default, `*args, **kwargs` and anything to or
from `Any`. So the wrappers are also compared with the text that vcr-gen would write.
"""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.output.ownership import owned_files
from vcr_gen.gen.output.plan import Change, make_plan
from vcr_gen.gen.pipeline.generation import generate
from vcr_gen.gen.pipeline.run_mypy import type_check
from vcr_gen.gen.rendering.formatting import format_files
from vcr_gen.gen.settings.config import Config

_FIX: Final = "run vcr-gen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The differences, and how much was compared."""

    diagnostics: tuple[Diagnostic, ...]
    boundaries: int
    files: int


def verify_project(config: Config, *, with_mypy: bool = True) -> Verdict:
    """Compare all wrappers with their Protocols, then run mypy on both.

    Raises `RefusedError` when a Protocol cannot be wrapped or a file is in the way.
    """
    generation = generate(config)
    if generation.diagnostics:
        raise RefusedError(generation.diagnostics)
    wanted = format_files(config, generation.files)
    plan = make_plan(config, wanted, owned_files(config.output))
    found = [problem for change in plan.changes for problem in _differences(config, change)]
    if with_mypy:
        sources = {config.root / boundary.source for boundary in generation.boundaries}
        found += type_check(config, wrappers=wanted, sources=sources)
    return Verdict(
        diagnostics=tuple(sorted(set(found))),
        boundaries=len(generation.boundaries),
        files=len(generation.files),
    )


def _differences(config: Config, change: Change) -> Iterator[Diagnostic]:
    """What is wrong with one generated file, place by place."""
    path = config.display(change.path)
    match change.kind:
        case "missing":
            yield Diagnostic(path, 0, 0, "VCR314", "the generated file is missing", _FIX)
        case "stale":
            message = "the generated file no longer has a Protocol"
            yield Diagnostic(path, 1, 1, "VCR314", message, _FIX)
        case "changed":
            for line, message in _different_lines(change.after, change.before):
                yield Diagnostic(path, line, 1, "VCR314", message, _FIX)


def _different_lines(expected: str, actual: str) -> Iterator[tuple[int, str]]:
    """Each place where two texts differ: the line in the actual text, and both lines."""
    should, there = expected.splitlines(), actual.splitlines()
    matcher = difflib.SequenceMatcher(None, there, should, autojunk=False)
    for kind, start, end, first, last in matcher.get_opcodes():
        got, wanted = _first_words(there[start:end]), _first_words(should[first:last])
        if kind == "replace":
            yield start + 1, f"expected `{wanted}`; got `{got}`"
        elif kind == "insert":
            yield start + 1, f"expected `{wanted}`, which is missing"
        elif kind == "delete":
            yield start + 1, f"vcr-gen does not write `{got}`"


def _first_words(lines: Sequence[str]) -> str:
    return next((line.strip() for line in lines if line.strip()), "")
