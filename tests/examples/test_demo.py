"""`vcr-gen demo` shows the whole job, on the example as a wheel carries it."""

import shutil
import tomllib
from pathlib import Path

import pytest
from example_project import REPOSITORY, Example

_DEMO = """
import sys
from pathlib import Path
from vcr_gen.cli import demo, main
demo.example_dir = lambda: Path("shipped").resolve()
sys.exit(main(["demo", *sys.argv[1:]]))
"""


@pytest.fixture
def place(tmp_path: Path) -> Example:
    """A folder with the part of the example that is put into the wheel, and nothing else."""
    config = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = config["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    for source, target in shipped.items():
        if target.startswith("vcr_gen/_example/"):
            copy = tmp_path / "shipped" / target.removeprefix("vcr_gen/_example/")
            copy.parent.mkdir(parents=True, exist_ok=True)
            whole = shutil.copytree if (REPOSITORY / source).is_dir() else shutil.copy
            whole(REPOSITORY / source, copy)
    (tmp_path / "temporary").mkdir()
    return Example(tmp_path)


def test_the_demo_generates_checks_records_replays_and_catches_a_change(place: Example) -> None:
    done = place.python("-c", _DEMO, TMPDIR=str(place.root / "temporary"), VCR_RECORD="1")

    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    for shown in (
        "wrote generated/vcr_agent_server/ports.py",
        "changed generated/vcr_agent_server/ports.py",
        "session.yaml: fine",
        "StepRunner.execute was called with different arguments",
        "variables.changes",
    ):
        assert shown in done.stdout
    assert "Traceback" not in done.stdout
    assert list((place.root / "temporary").iterdir()) == []


def test_a_demo_that_goes_wrong_says_so_and_fails(place: Example) -> None:
    place.replace("shipped/src/agent_server/server.py", '/ "scripts" /', '/ "missing" /')

    done = place.python("-c", _DEMO, TMPDIR=str(place.root / "temporary"))

    assert done.returncode == 1
    assert "the demo failed: python tests/session.py record" in done.stderr
    assert list((place.root / "temporary").iterdir()) == []
