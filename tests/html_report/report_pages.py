"""Tapes and their reports, to be looked at in a browser."""

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import pytest

from vcr_gen.cli import main

REPOSITORY: Final = Path(__file__).resolve().parents[2]
EXAMPLE: Final = REPOSITORY / "docs/examples/agent_server/cassettes/release.yaml"

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_ON_MACOS: Final = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"


def find_chromium() -> str:
    """The Chromium to test with; the tests fail, and say what to do, where there is none."""
    named = os.environ.get("CHROMIUM")
    candidates = [named] if named else [*_NAMES, _ON_MACOS]
    found = next(filter(None, map(shutil.which, candidates)), None)
    if found is None:
        pytest.fail(
            f"the report is tested in Chromium, and there is none ({', '.join(candidates)})\n"
            "hint: `apt-get install chromium` (`make browser` does it as root on Debian), "
            "or name one in the environment: CHROMIUM=/path/to/chrome",
            pytrace=False,
        )
    return found


def write_report_of(cassette: Path, target: Path, *more: str) -> str:
    """The address of the report that the command makes."""
    assert main(["cassette", "report", str(cassette), *more, "-o", str(target), "-q"]) == 0
    sys.stdout.flush()
    return target.as_uri()


def requests(count: int) -> Iterable[dict[str, Any]]:
    """About `count` events of a server: each request asks a database twice, some of them fail."""
    call, at = 0, 0.0
    for number in range(count // 4):
        call, at = call + 1, round(at + 0.002, 6)
        request = call
        arguments = {"path": f"/users/{number}"}
        yield {"call": call, "of": "server.get", "inbound": True, "at": at, "args": arguments}
        for _ in range(2):
            call, at = call + 1, round(at + 0.001, 6)
            query: dict[str, Any] = {"call": call, "of": "Database.query", "strand": f"@{request}"}
            query |= {"within": request, "at": at, "args": {"sql": f"select {call}"}, "took": 0.001}
            if call % 50 == 0:
                query["raised"] = {"$type": "TimeoutError", "args": ["too slow"]}
            else:
                query["returned"] = [{"id": number}]
            yield query
        at = round(at + 0.001, 6)
        yield {"end": request, "at": at, "returned": {"status": 200}}
