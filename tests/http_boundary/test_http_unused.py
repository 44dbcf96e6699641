"""The package costs nothing for those who do not use it."""

import subprocess
import sys
from pathlib import Path

import pytest

LIBRARIES = (
    *("httpx", "httpx2", "httpcore", "requests", "urllib3", "aiohttp", "h11", "websockets"),
    *("trustme", "cryptography", "brotli", "zstandard", "ssl"),
)
"""What talks HTTP, or is loaded by what does."""

PLAIN_TEST = """
import sys

from vcr_gen import Cassette


def test_without_http(vcrgen_cassette, tmp_path):
    for mode in ("all", "none"):
        with Cassette(tmp_path / "tape.yaml", mode, initial_state={"key": "value"}):
            pass
    found = [name for name in LIBRARIES if name in sys.modules]
    assert found == [], found
    assert not [name for name in sys.modules if name.startswith("vcr_boundaries")]
    assert not [name for name in sys.modules if name.startswith("vcr_gen.boundaries")]
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.mark.parametrize(
    "module", ["vcr_gen", "vcr_gen.boundary", "vcr_gen.pytest_plugin", "vcr_gen.boundaries.http"]
)
def test_importing_it_imports_no_client(tmp_path: Path, module: str) -> None:
    code = f"import sys, {module}; print([name for name in {LIBRARIES} if name in sys.modules])"
    done = run(tmp_path, "-c", code)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_test_without_http_imports_no_client(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text(PLAIN_TEST.replace("LIBRARIES", repr(LIBRARIES)))
    done = run(tmp_path, "-m", "pytest", "-q", "-p", "vcr_gen.pytest_plugin", "--vcrgen-mode=once")
    assert done.returncode == 0, done.stdout + done.stderr
