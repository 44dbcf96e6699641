"""`vcr-gen --list`: the boundaries of the project."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from vcr_gen.cli.outcome import FINE, counted
from vcr_gen.cli.terminal import Terminal, table
from vcr_gen.gen.diagnostics import RefusedError
from vcr_gen.gen.runs.pipeline import Generated, generate
from vcr_gen.gen.settings.config import Config

__all__ = ["list_boundaries"]


def list_boundaries(config: Config, paths: Sequence[Path], terminal: Terminal) -> int:
    """Print one line for each boundary: direction, name, Protocol, wrapper, place."""
    generation = generate(config)
    if generation.diagnostics:
        raise RefusedError(generation.diagnostics)
    chosen = [
        _from_here(one, config)
        for one in generation.boundaries
        if not paths or any((config.root / one.source).is_relative_to(path) for path in paths)
    ]
    if terminal.output_format == "json":
        terminal.data(json.dumps([asdict(one) for one in chosen], indent=2))
    elif chosen:
        terminal.data(table(list(map(_row, chosen))))
    terminal.note(counted(len(chosen), "boundary", "boundaries"))
    return FINE


def _from_here(one: Generated, config: Config) -> Generated:
    """The boundary with its file as it can be opened; those of packages stay as they are."""
    place = config.root / one.source
    return replace(one, source=config.display(place)) if place.exists() else one


def _row(one: Generated) -> tuple[str, ...]:
    return (one.direction, one.name, one.protocol, one.wrapper, f"{one.source}:{one.line}")
