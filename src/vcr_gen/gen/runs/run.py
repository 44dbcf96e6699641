"""One run of the generator: from a configuration to the plan of what must change on disk."""

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.output.ownership import owned_files, source_of
from vcr_gen.gen.output.plan import Plan, make_plan
from vcr_gen.gen.runs import cache
from vcr_gen.gen.runs.fingerprint import project_files, settings_fingerprint
from vcr_gen.gen.runs.format_outputs import Progress, RenderedFile, format_outputs, no_progress
from vcr_gen.gen.settings.config import Config

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
    use_cache: bool = True
    progress: Progress = no_progress


def plan_run(config: Config, request: Request) -> Plan:
    """Read, render and format everything in memory, and compare it with the disk.

    Raises `RefusedError` when anything cannot be wrapped or is in the way.
    """
    settings = settings_fingerprint(config)
    manifest = cache.load(config, settings) if request.use_cache else None
    hashes = {path: cache.hash_file(path) for path in project_files(config)}
    owned = list(owned_files(config.output))
    if manifest and not request.paths and manifest.holds(hashes, owned):
        warnings = _shown(config, manifest.warnings)
        return Plan(changes=(), unchanged=len(manifest.outputs), warnings=warnings)

    from vcr_gen.gen.runs.pipeline import generate

    started = time.time_ns()
    # Not only the paths asked for: a wrapper depends on which other Protocols are boundaries.
    generation = generate(config, progress=_part(request.progress, 0, _GENERATED))
    if generation.diagnostics:
        raise RefusedError(generation.diagnostics)
    rendered: Sequence[RenderedFile] = generation.files
    if request.paths:
        rendered = _only_from(config, rendered, request.paths)
        chosen = {file.path for file in rendered}
        owned = [path for path in owned if path in chosen or _is_from(config, path, request)]
    files = format_outputs(
        config,
        rendered,
        known=manifest.outputs if manifest else {},
        progress=_part(request.progress, _GENERATED, 100),
    )
    plan = make_plan(config, files, owned)
    late = [path for path in map(str, generation.inputs) if path not in hashes]
    if request.use_cache and not request.paths and all(_is_older(path, started) for path in late):
        manifest = cache.Manifest(
            settings=settings,
            inputs={
                **dict.fromkeys(generation.missed, cache.MISSING),
                **{path: cache.hash_file(path) for path in late},
                **hashes,
            },
            outputs={
                str(file.path): cache.Output(
                    cache.hash_text(file.text), cache.hash_text(files[file.path])
                )
                for file in rendered
            },
            warnings=generation.warnings,
        )
        cache.save(config, manifest)
    return replace(plan, warnings=_shown(config, generation.warnings))


def _shown(config: Config, warnings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The warnings with paths as people can open them."""
    return tuple(sorted(replace(one, path=config.display(Path(one.path))) for one in warnings))


def _part(progress: Progress, begin: int, end: int) -> Progress:
    """A bar for one step of several, from one percentage to another."""
    return lambda done, total: progress(begin + (end - begin) * done // max(total, 1), 100)


def _only_from(
    config: Config, files: Iterable[RenderedFile], sources: Sequence[Path]
) -> list[RenderedFile]:
    """The files made from these sources, and the packages they lie in."""
    chosen = {file.path for file in files if _is_below(config, file.source, sources)}
    packages = {folder / "__init__.py" for path in chosen for folder in path.parents}
    return [file for file in files if file.path in chosen | packages]


def _is_from(config: Config, path: Path, request: Request) -> bool:
    """Whether a file on disk, perhaps of an earlier run, says that it was made from a source."""
    return _is_below(config, source_of(_read(path) or ""), request.paths)


def _is_below(config: Config, source: str | None, paths: Sequence[Path]) -> bool:
    """Whether a source file is one of these paths, or lies below one."""
    return source is not None and any((config.root / source).is_relative_to(path) for path in paths)


def _is_older(path: str, moment: int) -> bool:
    """Whether a file was last changed before; if not, its hash may not be of what was read."""
    latest = moment - _CLOCK_GRAIN
    try:
        if os.stat(path).st_mtime_ns < latest:
            return True
        # A folder is young, too, where only a `__pycache__` came.
        return os.path.isdir(path) and all(
            os.stat(os.path.join(path, name)).st_ctime_ns < latest for name in cache.listing(path)
        )
    except OSError:
        return True


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
