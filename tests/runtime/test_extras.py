"""What a session does not use is not imported."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import asyncio, sys, threading
from pathlib import Path
from sample.bridges import RealShell
from vcr_gen import Cassette
from vcr_sample import VcrShell

class Owner:
    def __init__(self):
        self.lock = threading.Lock()

path = Path(sys.argv[1])
for mode in ("all", "none"):
    with Cassette(path, mode, {options}) as cassette:
        {watch}
        VcrShell.attach(cassette, RealShell).read(1)
print(*(name.rpartition(".")[2] for name in sys.modules if ".extras." in name))
"""


@pytest.mark.parametrize(
    ("options", "watch", "loaded"),
    [
        ("", "", set()),
        ("", "import trio", set()),
        ("hermetic='fail'", "", {"hermetic"}),
    ],
    ids=["a plain session", "trio that does not run", "hermetic"],
)
def test_a_session_loads_only_the_extras_that_it_uses(
    options: str, watch: str, loaded: set[str], tmp_path: Path
) -> None:
    script = SCRIPT.format(options=options, watch=watch or "pass")
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "tape.yaml")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == loaded


@pytest.mark.parametrize("home", ["vcr_gen", "vcr_gen.boundary"])
def test_a_marker_imports_nothing_else(home: str) -> None:
    script = (
        f"import sys\nfrom {home} import Secret, outbound\n"
        "print(*sorted(name for name in sys.modules if name.startswith('vcr_gen')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["vcr_gen", "vcr_gen.boundary"]
