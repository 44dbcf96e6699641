"""Waits for a change of the sources, by polling: no dependency, and it works everywhere."""

import os
import time
from collections.abc import Mapping
from typing import Final, TypeAlias

from vcr_gen.gen.pipeline.manifest import template_files
from vcr_gen.gen.settings.config import Config
from vcr_gen.gen.sources.files import list_files

Snapshot: TypeAlias = Mapping[str, tuple[int, int]]

_PAUSE: Final = 0.3


def snapshot(config: Config) -> Snapshot:
    """Size and modification time of the project's files, settings and templates."""
    watched = [file.path for file in list_files(config)]
    if config.file is not None:
        watched.append(str(config.file))
    watched += template_files(config)
    return {path: _state(path) for path in watched}


def wait_for_change(config: Config, before: Snapshot) -> None:
    """Return when a file has changed and is stable again: editors save in several steps."""
    current = snapshot(config)
    while True:
        time.sleep(_PAUSE)
        previous, current = current, snapshot(config)
        if current == previous and current != before:
            return


def _state(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return (0, 0)
    return (status.st_size, status.st_mtime_ns)
