"""Reads the signatures of a project's wrappers in a subprocess."""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcr_gen.gen.output.ownership import owned_files
from vcr_gen.gen.settings.config_reader import load_config
from vcr_gen.tapes.describe_wrappers import Described, read_described

__all__ = ["Wrappers", "add_config_option", "describe_project_wrappers"]

_PATIENCE: Final = 120
"""Seconds for importing a project."""


@dataclass(frozen=True, slots=True)
class Wrappers:
    """The described wrappers of a project."""

    described: Described | None
    """None if they could not be described."""
    remarks: tuple[str, ...] = ()
    """Why some wrappers could not be described."""


def add_config_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that selects the project."""
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="the pyproject.toml of the project with the wrappers",
    )


def describe_project_wrappers(config_file: Path | None) -> Wrappers:
    """Import the project's wrappers in a separate process and read their description."""
    config = load_config(Path.cwd(), file=config_file.resolve() if config_file else None)
    modules = [
        ".".join(path.relative_to(config.output).with_suffix("").parts)
        for path in owned_files(config.output)
        if path.suffix == ".py" and path.stem != "__init__"
    ]
    if not modules:
        place = config.display(config.output)
        return Wrappers(None, (f"signatures were not compared: no wrappers in {place}",))
    request = {
        "path": [str(folder) for folder in (config.output, *config.sources)],
        "more": [str(folder) for folder in config.search_path],
        "modules": modules,
    }
    try:
        done = subprocess.run(
            # -P: a file of the project must not shadow a module of the standard library.
            [sys.executable, "-P", "-m", "vcr_gen.tapes.describe_wrappers"],
            input=json.dumps(request).encode(),
            capture_output=True,
            cwd=config.root,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        words = f"importing them took more than {_PATIENCE} s"
        return Wrappers(None, (f"signatures were not compared: {words}",))
    if done.returncode != 0 or not done.stdout:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no reason given"]
        return Wrappers(None, (f"signatures were not compared: {last[0]}",))
    described = read_described(json.loads(done.stdout))
    remarks = tuple(
        f"signatures of {module} were not compared: it cannot be imported: {error}"
        for module, error in described.problems.items()
    )
    return Wrappers(described, remarks)
