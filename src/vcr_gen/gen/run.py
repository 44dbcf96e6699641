"""One run of the generator: from a configuration to the plan of what must change on disk."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcr_gen.gen import cache
from vcr_gen.gen.config import Config
from vcr_gen.gen.cores import processes
from vcr_gen.gen.diagnostics import RefusedError
from vcr_gen.gen.inputs import closure, project_files, settings_fingerprint
from vcr_gen.gen.ownership import owned_files, source_of
from vcr_gen.gen.plan import Plan, make_plan
from vcr_gen.gen.wanted import Progress, no_progress, wanted_files

__all__ = ["Request", "plan_run"]

_CLOCK_GRAIN: Final = 20_000_000
"""File systems stamp changes with a clock that lags by up to some milliseconds."""

_GENERATED: Final = 80
"""Percent of a run that are over when only formatting is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of a run, besides the configuration."""

    paths: tuple[Path, ...] = ()
    """Only the wrappers of these source files and folders; all when empty."""
    jobs: int = 0
    """Processes for all the work; 0 means one per core."""
    use_cache: bool = True
    progress: Progress = no_progress


def plan_run(config: Config, request: Request) -> Plan:
    """Read, render and format everything in memory, and compare it with the disk.

    Raises `RefusedError` when anything cannot be wrapped or is in the way.
    """
    manifest = cache.load(config) if request.use_cache else None
    settings = settings_fingerprint(config)
    sources = project_files(config)
    owned = list(owned_files(config.output))
    if manifest and not request.paths and _is_fine(manifest, settings, sources, owned):
        return Plan(changes=(), unchanged=len(manifest.outputs))
    started = time.time_ns()
    hashes = {path: cache.hash_file(path) for path in sources}

    from vcr_gen.gen.pipeline import generate

    # Always the whole project: a wrapper depends on which other Protocols are boundaries.
    jobs, progress = processes(request.jobs), request.progress
    generation = generate(config, jobs=jobs, progress=_part(progress, 0, _GENERATED))
    if generation.diagnostics:
        raise RefusedError(generation.diagnostics)
    rendered = generation.files
    if request.paths:
        rendered = _only_from(config, rendered, request.paths)
        owned = [path for path in owned if path in rendered or _is_from(config, path, request)]
    known = manifest.outputs if manifest and manifest.settings == settings else {}
    formatting = _part(progress, _GENERATED, 100)
    files = wanted_files(config, rendered, known=known, jobs=jobs, progress=formatting)
    plan = make_plan(config, files, owned)
    if request.use_cache and not request.paths:
        read = closure(config, generation.inputs)
        late = [path for path in read if path not in hashes]
        if all(_is_older(path, started) for path in late):
            hashes |= {path: cache.hash_file(path) for path in late}
            cache.save(config, _remember(settings, hashes, rendered, files))
    return plan


def _part(progress: Progress, begin: int, end: int) -> Progress:
    """A bar for one step of several, from one percentage to another."""
    return lambda done, total: progress(begin + (end - begin) * done // max(total, 1), 100)


def _is_fine(
    manifest: cache.Manifest, settings: str, sources: Sequence[str], owned: Sequence[Path]
) -> bool:
    """Whether nothing changed since a run that was remembered, neither sources nor outputs."""
    return (
        {str(path) for path in owned} == set(manifest.outputs)
        and manifest.still_true(settings, sources)
        and all(
            cache.hash_file(path) == output.formatted for path, output in manifest.outputs.items()
        )
    )


def _remember(
    settings: str,
    hashes: Mapping[str, str],
    rendered: Mapping[Path, str],
    files: Mapping[Path, str],
) -> cache.Manifest:
    outputs = {
        str(path): cache.Output(cache.hash_text(rendered[path]), cache.hash_text(text))
        for path, text in files.items()
    }
    return cache.Manifest(settings=settings, inputs=hashes, outputs=outputs)


def _only_from(
    config: Config, files: Mapping[Path, str], sources: Sequence[Path]
) -> dict[Path, str]:
    """The files made from these sources, and the packages they lie in."""
    chosen = {path for path, text in files.items() if _came_from(config, text, sources)}
    packages = {folder / "__init__.py" for path in chosen for folder in path.parents}
    return {path: text for path, text in files.items() if path in chosen | packages}


def _is_from(config: Config, path: Path, request: Request) -> bool:
    return _came_from(config, _read(path) or "", request.paths)


def _came_from(config: Config, text: str, sources: Sequence[Path]) -> bool:
    """Whether a generated text names one of these sources, or something below one."""
    source = source_of(text)
    return source is not None and any(
        (config.root / source).is_relative_to(given) for given in sources
    )


def _is_older(path: str, moment: int) -> bool:
    """Whether a file was last changed before; if not, its hash may not be of what was read."""
    try:
        return os.stat(path).st_mtime_ns < moment - _CLOCK_GRAIN
    except OSError:
        return True


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
