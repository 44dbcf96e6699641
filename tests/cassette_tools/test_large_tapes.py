"""A tape of 100,000 events costs the tools no more memory than one of 1,000."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tape_files import HEADER

from vcr_gen.runtime.formats import format_for

pytestmark = pytest.mark.slow

SMALL, LARGE = 1_000, 100_000
ALLOWED = 12_000_000
"""Bytes: a stat of each call, the buffers of a larger read; the tape itself is ten times that."""

MEASURED = """
import os, resource, sys
from vcr_gen.cli import main
code = main(sys.argv[1:])
sys.stderr.write(f"\\nRSS {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}")
sys.exit(code)
"""


def write_large(path: Path, count: int) -> Path:
    """Calls with some text in them, written as fast as bytes can be."""
    chosen = format_for(path)
    event = {
        "call": 987654321,
        "of": "Shell.run",
        "at": 0.5,
        "args": {"command": "x" * 200},
        "took": 0.25,
        "returned": "line\\n" * 100,
    }
    before, after = chosen.event(event).split(b"987654321")
    with path.open("wb") as file:
        file.write(chosen.header(HEADER))
        file.writelines(b"%s%d%s" % (before, n, after) for n in range(1, count + 1))
        file.write(chosen.end({"events": count}))
    return path


@pytest.fixture(scope="module")
def tapes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("large")
    for suffix in ("yaml", "jsonl"):
        write_large(folder / f"small.{suffix}", SMALL)
        write_large(folder / f"large.{suffix}", LARGE)
    yield folder
    for path in folder.iterdir():
        path.unlink()


def peak(*arguments: str, cwd: Path) -> int:
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, "cassette", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stderr.rpartition("RSS ")[2])


@pytest.mark.parametrize(
    "command",
    ["list NAME.yaml", "list NAME.jsonl", "check NAME.jsonl --no-signatures", "stats NAME.jsonl"],
)
def test_memory_does_not_grow_with_the_tape(tapes, command):
    def measured(name: str) -> int:
        return peak(*command.replace("NAME", name).split(), cwd=tapes)

    assert (tapes / "large.jsonl").stat().st_size > 60_000_000
    assert measured("large") < measured("small") + ALLOWED
