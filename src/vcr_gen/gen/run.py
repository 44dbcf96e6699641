"""One run of the generator: from a configuration to the plan of what must change on disk."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcr_gen.gen import cache
from vcr_gen.gen.config import Config
from vcr_gen.gen.diagnostics import RefusedError
from vcr_gen.gen.inputs import closure, project_files, settings_fingerprint
from vcr_gen.gen.ownership import owned_files, source_of
from vcr_gen.gen.plan import Plan, make_plan

__all__ = ["Request", "plan_run"]

_CLOCK_GRAIN: Final = 20_000_000
"""File systems stamp changes with a clock that lags by up to some milliseconds."""


def _silent(done: int, total: int) -> None:
    """Nobody wants to know how far it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of a run, besides the configuration."""

    paths: tuple[Path, ...] = ()
    """Only the wrappers of these source files and folders; all when empty."""
    jobs: int = 0
    """Processes for formatting; 0 means one per core."""
    use_cache: bool = True
    progress: Callable[[int, int], None] = _silent
    """Told how many texts are formatted, of how many."""


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

    generation = generate(config, paths=request.paths)
    if generation.diagnostics:
        raise RefusedError(generation.diagnostics)
    files = _format(config, request, generation.files, manifest, settings)
    if request.paths:
        owned = [path for path in owned if _is_of(config, path, request.paths)]
    plan = make_plan(config, files, owned)
    if request.use_cache and not request.paths:
        read = closure(config, {path for paths in generation.inputs.values() for path in paths})
        late = [path for path in read if path not in hashes]
        if all(_is_older(path, started) for path in late):
            hashes |= {path: cache.hash_file(path) for path in late}
            cache.save(config, _remember(settings, hashes, generation.files, files))
    return plan


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


def _format(
    config: Config,
    request: Request,
    files: Mapping[Path, str],
    manifest: cache.Manifest | None,
    settings: str,
) -> dict[Path, str]:
    """Format what is not on disk in the form that the formatter gave it the last time."""
    from vcr_gen.gen.formatting import Text, format_texts, style_of

    known = manifest.outputs if manifest and manifest.settings == settings else {}
    formatted: dict[Path, str] = {}
    pending: list[Path] = []
    for path, text in files.items():
        before = known.get(str(path))
        reusable = before is not None and before.rendered == cache.hash_text(text)
        current = _read(path) if reusable else None
        if before and current is not None and cache.hash_text(current) == before.formatted:
            formatted[path] = current
        else:
            pending.append(path)
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        request.progress(done, len(pending))

    texts = [
        Text(config.display(path), files[path], style_of(_config_for(config, files[path])))
        for path in pending
    ]
    results = format_texts(texts, jobs=request.jobs or os.cpu_count() or 1, advance=advance)
    formatted.update(zip(pending, results, strict=True))
    return formatted


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


def _config_for(config: Config, text: str) -> Config:
    """The configuration of the source module that a generated text names."""
    source = source_of(text)
    if source is None or not config.overrides:
        return config
    path = config.root / source
    for folder in config.sources:
        if path.is_relative_to(folder):
            parts = path.relative_to(folder).with_suffix("").parts
            return config.for_module(".".join(parts).removesuffix(".__init__"))
    return config


def _is_of(config: Config, path: Path, sources: Sequence[Path]) -> bool:
    """Whether one of our files was made from one of these sources, or from something below."""
    source = source_of(_read(path) or "")
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
