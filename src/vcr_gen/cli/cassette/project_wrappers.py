"""Reads the signatures of a project's wrappers in a subprocess."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from vcr_gen.gen.output.ownership import owned_files
from vcr_gen.gen.settings.config_reader import load_config
from vcr_gen.tapes.describe_wrappers import CurrentMethod, Described

__all__ = ["describe_project_wrappers"]

_PATIENCE: Final = 120
"""Seconds for importing a project."""


def describe_project_wrappers(config_file: Path | None) -> Described:
    """Import the project's wrappers in a separate process and read their description."""
    config = load_config(Path.cwd(), file=config_file.resolve() if config_file else None)
    modules = [
        ".".join(path.relative_to(config.output).with_suffix("").parts)
        for path in owned_files(config.output)
        if path.suffix == ".py" and path.stem != "__init__"
    ]
    if not modules:
        return _nothing(f"no wrappers in {config.display(config.output)}")
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
        return _nothing(f"importing them took more than {_PATIENCE} s")
    if done.returncode != 0 or not done.stdout:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        return _nothing(last[0] if last else "no reason given")
    document = json.loads(done.stdout)
    boundaries = {
        name: {key: CurrentMethod(**method) for key, method in methods.items()}
        for name, methods in document["boundaries"].items()
    }
    return Described(boundaries, document["remarks"])


def _nothing(why: str) -> Described:
    return Described({}, (f"signatures were not compared: {why}",))
