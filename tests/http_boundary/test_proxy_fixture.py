"""The fixture `vcrgen_proxy` puts a test, and the programs it starts, behind the proxy."""

from pathlib import Path

from proxy_command import PYTEST, run, serving

TEST = """\
import os
import subprocess
import urllib.request

BASE = os.environ["BASE"]


def fetch(name):
    with urllib.request.urlopen(f"{BASE}/{name}", timeout=20) as response:
        return response.read()


def test_in_this_process(vcrgen_proxy):
    assert fetch("json") == fetch("json")
    assert fetch(os.environ.get("NAME", "chunked")) == b"onetwo and morethree"


def test_in_another_process(vcrgen_proxy):
    done = subprocess.run(["curl", "-s", f"{BASE}/chunked"], capture_output=True, check=True)
    assert done.stdout == b"onetwo and morethree"


def test_without_proxy():
    assert "HTTP_PROXY" not in os.environ
"""


def test_a_test_behind_the_proxy_records_and_replays(tmp_path: Path) -> None:
    tmp_path.joinpath("test_it.py").write_text(TEST, encoding="utf-8")
    tmp_path.joinpath("pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    with serving() as base:
        recorded = run(tmp_path, *PYTEST, "--vcrgen-mode=once", BASE=base)
    assert "3 passed" in recorded.stdout
    assert "cassettes: 2 recorded" in recorded.stdout
    assert "3 passed" in run(tmp_path, *PYTEST, BASE=base).stdout
    changed = run(tmp_path, *PYTEST, code=1, BASE=base, NAME="sse").stdout
    assert "1 failed, 2 passed" in changed
    assert "http GET /sse was called where the tape has http GET /chunked" in changed
