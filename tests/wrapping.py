"""Wrappers of a test's own Protocols, made by the real generator."""

import sys
import tempfile
from pathlib import Path

from vcr_gen.gen.output.write import apply_plan
from vcr_gen.gen.pipeline.plan_run import Request, plan_run
from vcr_gen.gen.settings.config_reader import load_config


def wrap_package(package: Path, settings: str = "") -> "tempfile.TemporaryDirectory[str]":
    """Write the wrappers of a package into a folder that lives as long as what is returned.

    The package `sample` and its wrappers `vcr_sample` can then be imported.
    """
    folder = tempfile.TemporaryDirectory(prefix=f"vcr-gen-{package.name}-")
    root = Path(folder.name)
    (root / "pyproject.toml").write_text(f"[tool.vcr-gen]\n{settings}", encoding="utf-8")
    (root / "src").mkdir()
    (root / "src" / package.name).symlink_to(package)
    apply_plan(plan_run(load_config(root), Request(use_cache=False)))
    sys.path[:0] = [str(root / "src"), str(root / "generated")]
    return folder
