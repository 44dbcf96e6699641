"""Asks the wrappers of a project for their signatures, as its configuration says where they are."""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcr_gen.gen.output.ownership import owned_files
from vcr_gen.gen.settings.config_file import load_config
from vcr_gen.tapes.describe_wrappers import Described, read_described

__all__ = ["Wrappers", "add_config_option", "ask_wrappers"]

_PATIENCE: Final = 120
"""Seconds for importing a project."""


@dataclass(frozen=True, slots=True)
class Wrappers:
    """What is known of a project's wrappers."""

    described: Described | None
    """None when nothing is known."""
    remarks: tuple[str, ...] = ()
    """What could not be asked, and why."""


def add_config_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that says which project is asked."""
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="the pyproject.toml that tells the wrappers"
    )


def ask_wrappers(config_file: Path | None) -> Wrappers:
    """Import the project's wrappers in a process of their own, and read what they say."""
    config = load_config(Path.cwd(), file=config_file.resolve() if config_file else None)
    modules = [
        ".".join(path.relative_to(config.output).with_suffix("").parts)
        for path in owned_files(config.output)
        if path.suffix == ".py" and path.stem != "__init__"
    ]
    if not modules:
        place = config.display(config.output)
        return Wrappers(None, (f"signatures were not compared: there are no wrappers in {place}",))
    request = {
        "path": [str(folder) for folder in (config.output, *config.sources)],
        "more": [str(folder) for folder in config.search_path],
        "modules": modules,
    }
    try:
        done = subprocess.run(
            # -P: a file of the project that is called like one of Python's own must not be it.
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
