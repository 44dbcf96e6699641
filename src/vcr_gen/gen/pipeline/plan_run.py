"""One run of the generator, from a configuration to the plan of what must change on disk.

Read the sources → stop if nothing changed → discover, build the model and render (`generation`) →
format what needs it → plan. Writing, `--check` and `--diff` are three consumers of the plan.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from vcr_gen.gen.diagnostics import RefusedError
from vcr_gen.gen.output.ownership import owned_files, source_of
from vcr_gen.gen.output.plan import Plan, make_plan
from vcr_gen.gen.pipeline import manifest as manifests
from vcr_gen.gen.pipeline.manifest import Manifest, hash_text
from vcr_gen.gen.rendering.formatting import Progress, RenderedFile, format_files, no_progress
from vcr_gen.gen.settings.config import Config
from vcr_gen.gen.sources.files import read_sources

_GENERATED: Final = 80
"""The percentage of a run that is done before formatting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The options of a run that are not in the configuration."""

    paths: tuple[Path, ...] = ()
    """Only the wrappers of these source files and folders; all when empty."""
    use_cache: bool = True
    progress: Progress = no_progress


def plan_run(config: Config, request: Request) -> Plan:
    """Read, render and format everything in memory, and compare it with the disk.

    Raises `RefusedError` when a Protocol cannot be wrapped or a file is in the way.
    """
    settings = manifests.settings_fingerprint(config)
    last = manifests.load(config, settings) if request.use_cache else None
    sources = read_sources(config)
    digests = {str(file.path): file.digest for file in sources}
    owned = list(owned_files(config.output))
    if last and not request.paths and last.holds(digests, owned):
        return Plan(changes=(), unchanged=len(last.outputs))

    from vcr_gen.gen.pipeline.generation import generate

    # Not only the paths asked for: a wrapper depends on which other Protocols are boundaries.
    generation = generate(config, sources, progress=_part(request.progress, 0, _GENERATED))
    if generation.diagnostics:
        raise RefusedError(generation.diagnostics)
    rendered: Sequence[RenderedFile] = generation.files
    if request.paths:
        rendered = _only_from(config, rendered, request.paths)
        chosen = {file.path for file in rendered}
        owned = [path for path in owned if path in chosen or _is_from(config, path, request)]
    texts = format_files(config, rendered, _part(request.progress, _GENERATED, 100))
    plan = make_plan(config, texts, owned)
    if request.use_cache and not request.paths:
        manifest = Manifest(
            settings=settings,
            sources=digests,
            inputs=generation.inputs,
            outputs={str(path): hash_text(text) for path, text in texts.items()},
        )
        manifests.save(config, manifest)
    return replace(plan, notes=generation.notes)


def _part(progress: Progress, begin: int, end: int) -> Progress:
    """Progress of one step, scaled to a range of percentages."""
    return lambda done, total: progress(begin + (end - begin) * done // max(total, 1), 100)


def _only_from(
    config: Config, files: Iterable[RenderedFile], sources: Sequence[Path]
) -> list[RenderedFile]:
    """The files made from these sources, and the packages that contain them."""
    chosen = {file.path for file in files if _is_below(config, file.source, sources)}
    packages = {folder / "__init__.py" for path in chosen for folder in path.parents}
    return [file for file in files if file.path in chosen | packages]


def _is_from(config: Config, path: Path, request: Request) -> bool:
    """Whether a file on disk, perhaps of an earlier run, names one of the requested sources."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return _is_below(config, source_of(text), request.paths)


def _is_below(config: Config, source: str | None, paths: Sequence[Path]) -> bool:
    """Whether a source file is one of these paths, or lies below one."""
    return source is not None and any((config.root / source).is_relative_to(path) for path in paths)
