"""The texts that should be on disk: what was rendered, formatted; what is there is used again."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from vcr_gen.gen.output.ownership import source_of
from vcr_gen.gen.rendering.formatting import Text, format_texts, style_of
from vcr_gen.gen.runs.cache import Output, hash_text
from vcr_gen.gen.settings.config import Config

__all__ = ["Progress", "no_progress", "wanted_files"]

Progress: TypeAlias = Callable[[int, int], None]
"""Told how much is done, of how much."""


def no_progress(done: int, total: int) -> None:
    """Nobody wants to know how far it is."""


def wanted_files(
    config: Config,
    rendered: Mapping[Path, str],
    *,
    known: Mapping[str, Output],
    jobs: int = 1,
    progress: Progress = no_progress,
) -> dict[Path, str]:
    """Format every text, but for those that are on disk as the formatter left them last time.

    `known` says which text came of which; without it, everything is formatted.
    """
    wanted: dict[Path, str] = {}
    pending: list[Path] = []
    for path, text in rendered.items():
        before = known.get(str(path))
        if before is not None and before.rendered == hash_text(text):
            current = _read(path)
            if current is not None and hash_text(current) == before.formatted:
                wanted[path] = current
                continue
        pending.append(path)
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        progress(done, len(pending))

    texts = [
        Text(config.display(path), text, style_of(_config_for(config, text)))
        for path in pending
        for text in (rendered[path],)
    ]
    results = format_texts(texts, jobs=jobs, advance=advance)
    wanted.update(zip(pending, results, strict=True))
    return dict(sorted(wanted.items()))


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


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
