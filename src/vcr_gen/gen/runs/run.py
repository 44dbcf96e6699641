"""One run of the generator: from a configuration to the plan of what must change on disk."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcr_gen.gen.diagnostics import RefusedError
from vcr_gen.gen.output.ownership import file_of, owned_files, source_of
from vcr_gen.gen.output.plan import Plan, make_plan
from vcr_gen.gen.processes.cores import processes
from vcr_gen.gen.runs import cache
from vcr_gen.gen.runs.inputs import SETTINGS, project_files, settings_fingerprint
from vcr_gen.gen.runs.memory import Past
from vcr_gen.gen.runs.wanted import Progress, no_progress, wanted_files
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
    jobs: int = 0
    """Processes for all the work; 0 means one per core."""
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
    past = _past(config, manifest, hashes) if manifest and not request.paths else None
    if manifest and past and not past.affected and {*map(str, owned)} == {*manifest.outputs}:
        return Plan(changes=(), unchanged=len(manifest.outputs))

    from vcr_gen.gen.runs.pipeline import generate

    started = time.time_ns()
    # Not only the paths asked for: a wrapper depends on which other Protocols are boundaries.
    jobs, progress = processes(request.jobs), request.progress
    generation = generate(config, jobs=jobs, progress=_part(progress, 0, _GENERATED), past=past)
    if generation.diagnostics:
        raise RefusedError(generation.diagnostics)
    rendered = generation.files
    if request.paths:
        rendered = _only_from(config, rendered, request.paths)
        owned = [path for path in owned if path in rendered or _is_from(config, path, request)]
    known = manifest.outputs if manifest else {}
    formatting = _part(progress, _GENERATED, 100)
    files = wanted_files(config, rendered, known=known, jobs=jobs, progress=formatting)
    kept = {path: path.read_text(encoding="utf-8") for path in generation.kept}
    plan = make_plan(config, files | kept, owned)
    late = [path for path in map(str, generation.inputs) if path not in hashes]
    if request.use_cache and not request.paths and all(_is_older(path, started) for path in late):
        before = manifest.inputs if manifest and kept else {}
        made = {
            str(path): cache.Output(cache.hash_text(rendered[path]), cache.hash_text(text))
            for path, text in files.items()
        }
        remembered = cache.Manifest(
            settings=settings,
            inputs={
                **before,
                **dict.fromkeys(generation.missed, cache.MISSING),
                **{path: cache.hash_file(path) for path in late},
                **hashes,
            },
            outputs={str(path): known[str(path)] for path in kept} | made,
            memory=generation.memory,
        )
        cache.save(config, remembered)
    return plan


def _past(config: Config, manifest: cache.Manifest, hashes: Mapping[str, str]) -> Past | None:
    """The earlier run, and what must be done again; None when that is everything.

    A file of ours that is not as it was left is made again. So is all that a changed source has
    a say in; but a source that came or went, a changed package, or the settings of a folder,
    may have a say anywhere.
    """
    changed = manifest.changed(hashes)
    came = any(manifest.inputs.get(path, cache.MISSING) == cache.MISSING for path in hashes)
    settings = any(path.endswith(SETTINGS) for path in changed)
    if came or settings or not changed <= hashes.keys():
        return None
    memory, spoilt = manifest.memory, manifest.spoilt()
    affected = memory.affected({*changed, *spoilt})
    for module in memory.modules.values():
        if module.output and str(file_of(config.output, module.output)) in spoilt:
            affected.update(module.files)
    return Past(memory=memory, affected=affected)


def _part(progress: Progress, begin: int, end: int) -> Progress:
    """A bar for one step of several, from one percentage to another."""
    return lambda done, total: progress(begin + (end - begin) * done // max(total, 1), 100)


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
