"""Wrappers of the sample package, made once by the real generator, and tapes to use them on."""

import sys
import tempfile
from pathlib import Path

import pytest

from vcr_gen.gen.config_file import load_config
from vcr_gen.gen.run import Request, plan_run
from vcr_gen.gen.write import apply_plan

pytest.register_assert_rewrite("taping")
from taping import Tape  # noqa: E402

HERE = Path(__file__).parent


def _generate() -> "tempfile.TemporaryDirectory[str]":
    """Write the wrappers into a temporary folder, and let tests import them from there."""
    folder = tempfile.TemporaryDirectory(prefix="vcr-gen-sample-")
    root = Path(folder.name)
    (root / "pyproject.toml").write_text("[tool.vcr-gen]\n", encoding="utf-8")
    (root / "src").mkdir()
    (root / "src" / "sample").symlink_to(HERE / "sample")
    apply_plan(plan_run(load_config(root), Request(jobs=1, use_cache=False)))
    sys.path.insert(0, str(root / "generated"))
    return folder


_WRAPPERS = _generate()


@pytest.fixture(params=["yaml", "jsonl"])
def tape(tmp_path: Path, request: pytest.FixtureRequest) -> Tape:
    """A tape in each format."""
    return Tape(tmp_path / f"tape.{request.param}")
