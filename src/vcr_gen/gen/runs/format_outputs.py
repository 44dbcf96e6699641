"""Formats rendered files; a file on disk that is still right is used again."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from vcr_gen.gen.rendering.formatting import Text, format_texts, style_of
from vcr_gen.gen.runs.manifest import Output, hash_text
from vcr_gen.gen.settings.config import Config

__all__ = ["Progress", "RenderedFile", "format_outputs", "no_progress"]

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the amount done and the total."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedFile:
    """One generated file before it is formatted."""

    path: Path
    text: str
    module: str | None
    """The source module that it wraps; None for the `__init__` of a package."""
    source: str | None
    """The source file, as the text names it; None for the `__init__` of a package."""
    settled: bool
    """Whether black would leave the text as it is."""


def no_progress(done: int, total: int) -> None:
    """Report nothing."""


def format_outputs(
    config: Config,
    rendered: Iterable[RenderedFile],
    *,
    known: Mapping[str, Output],
    progress: Progress = no_progress,
) -> dict[Path, str]:
    """The texts that should be on disk, by path.

    `known` says what each text became last time: if that is on disk, it is not formatted again.
    """
    wanted: dict[Path, str] = {}
    pending: list[RenderedFile] = []
    for file in rendered:
        before = known.get(str(file.path))
        if before is not None and before.rendered == hash_text(file.text):
            current = _read(file.path)
            if current is not None and hash_text(current) == before.formatted:
                wanted[file.path] = current
                continue
        pending.append(file)
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        progress(done, len(pending))

    results = format_texts([_unformatted(config, file) for file in pending], advance=advance)
    wanted.update(zip((file.path for file in pending), results, strict=True))
    return dict(sorted(wanted.items()))


def _unformatted(config: Config, file: RenderedFile) -> Text:
    settings = config.for_module(file.module) if file.module else config
    return Text(config.display(file.path), file.text, style_of(settings), file.settled)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
