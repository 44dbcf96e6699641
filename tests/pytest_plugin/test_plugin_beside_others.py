"""Installed beside the recorders that people already have, each of them still works."""

import os
import shutil
import subprocess
import sys
import threading
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from textwrap import dedent

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
OTHERS = {
    "recording": "--record-mode=once",
    "vcr": "--vcr-record=once",
    "cassetter": "--record-mode=once",
}
TESTS = """
    import os

    import pytest
    import urllib3

    def fetch():
        return urllib3.request("GET", os.environ["URL"]).data

    @pytest.mark.vcr
    def test_theirs():
        assert fetch() == b"hello"

    def test_ours(shell):
        assert shell.run("a") == "old a"

    @pytest.mark.vcr
    @pytest.mark.vcrgen(name="both")
    def test_both(shell):
        assert fetch() == b"hello"
        assert shell.run("a") == "old a"
    """


class Hello(BaseHTTPRequestHandler):
    """A server that says hello."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def hello_server() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Hello)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="module")
def shared_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with vcr-gen, as a wheel, and all the others in it."""
    folder = tmp_path_factory.mktemp("beside_others")
    venv.create(folder)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    others = (
        "pytest-recording",
        "pytest-vcr",
        "cassetter",
        "pytest-randomly",
        "pytest-rerunfailures",
    )
    packages = (str(ROOT), "pytest", *others, "urllib3")
    pip = (sys.executable, "-m", "pip", "--python", str(python))
    options = ("--quiet", "--disable-pip-version-check", "--no-compile")
    subprocess.run([*pip, "install", *options, *packages], check=True, timeout=300)
    return python


def test_all_recorders_work_in_one_environment(
    shared_python: Path, generated_project: Path, tmp_path: Path
) -> None:
    for other, recording in OTHERS.items():
        project = tmp_path / other
        shutil.copytree(generated_project, project)
        (project / "test_it.py").write_text(dedent(TESTS), encoding="utf-8")
        # They do not all get along with each other; we must get along with each.
        without = ["-pno:randomly", *(f"-pno:{name}" for name in OTHERS if name != other)]
        with hello_server() as url:
            recorded = _pytest(
                shared_python, project, *without, recording, "--vcrgen-mode=once", url=url
            )
        assert "3 passed" in recorded, recorded
        assert "cassettes: 2 recorded" in recorded
        replayed = _pytest(shared_python, project, *without, "--vcrgen-check-unused", url=url)
        assert "3 passed" in replayed, replayed  # though the server is gone
        assert "cassettes: 2 replayed" in replayed
        assert "unused" not in replayed
        ours = {"test_ours.yaml", "both.yaml"}
        assert ours <= {path.name for path in (project / "cassettes/test_it").iterdir()}


SHUFFLED = """
    import pytest

    @pytest.mark.parametrize("number", range(8))
    def test_each(shell, number):
        assert shell.run(f"{number}") == f"old {number}"

    class TestMore:
        def test_one(self, shell):
            assert shell.run("one") == "old one"

        def test_two(self, shell):
            assert shell.run("two") == "old two"

    attempts = []

    @pytest.mark.flaky(reruns=1)
    def test_that_passes_when_run_again(shell):
        attempts.append(shell.run("again"))
        assert len(attempts) == 2
    """


def test_random_order_and_reruns_change_nothing(
    shared_python: Path, generated_project: Path, tmp_path: Path
) -> None:
    project = tmp_path / "shuffled"
    shutil.copytree(generated_project, project)
    (project / "test_it.py").write_text(dedent(SHUFFLED), encoding="utf-8")
    options = ("-v", *(f"-pno:{name}" for name in OTHERS))
    recorded = _pytest(shared_python, project, *options, "--vcrgen-mode=all", url="")
    assert "11 passed, 1 rerun" in recorded, recorded
    assert "cassettes: 11 recorded\n" in recorded
    orders = set()
    for seed in ("1", "2"):
        shuffled = f"--randomly-seed={seed}"
        replayed = _pytest(shared_python, project, *options, shuffled, url="")
        assert "11 passed, 1 rerun" in replayed, replayed
        assert "cassettes: 11 replayed\n" in replayed
        orders.add(tuple(line for line in replayed.splitlines() if " PASSED" in line))
    assert len(orders) == 2  # it was another order, indeed


def _pytest(python: Path, project: Path, *arguments: str, url: str) -> str:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "COV", "CI", "VCR", "PYTHONPATH", "PYTHONDONTWRITE"))
    }
    run = subprocess.run(
        [str(python), "-m", "pytest", "-pno:cacheprovider", *arguments],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        env={**environment, "URL": url, "WORLD": "old"},
    )
    return run.stdout + run.stderr
