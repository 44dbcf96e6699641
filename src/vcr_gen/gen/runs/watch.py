"""Notices that a source changed, by looking again and again: no dependency, works everywhere."""

import os
import time
from collections.abc import Mapping
from typing import Final, TypeAlias

from vcr_gen.gen.runs.fingerprint import project_files, template_files
from vcr_gen.gen.settings.config import Config

__all__ = ["Snapshot", "snapshot", "wait_for_change"]

Snapshot: TypeAlias = Mapping[str, tuple[int, int]]

_PAUSE: Final = 0.3


def snapshot(config: Config) -> Snapshot:
    """Size and time of everything that a run of this project reads first."""
    watched = project_files(config)
    if config.file is not None:
        watched.append(str(config.file))
    watched += template_files(config)
    return {path: _state(path) for path in watched}


def wait_for_change(config: Config, before: Snapshot) -> None:
    """Return when something differs and has settled: editors save in several steps."""
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
