"""A failed replay, in headless Chromium: what was expected against what came."""

import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from page_parts import CHOSEN, contrast, soon, words
from report_pages import REPOSITORY

pytestmark = pytest.mark.slow

REPLAY = """
import asyncio, sys
from pathlib import Path
from session import run_session
from vcr_gen import Cassette
from vcr_gen.errors import DivergenceError, ReplayError
from vcr_gen.html_report import describe_failure, write_report

tape, target, action = Path("cassettes/release.yaml"), Path(sys.argv[1]), sys.argv[2]
try:
    if action == "nothing":
        Cassette(tape, "none", anchors={"workspace": "/nowhere"}).close()
    else:
        asyncio.run(run_session(tape, workspace=Path("/nowhere"), mode="none"))
except (DivergenceError, ReplayError) as error:
    failure = describe_failure(error, "tests/test_session.py::test_it")
    write_report(target, tape, failure=failure)
"""


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("failing") / "example"
    shutil.copytree(REPOSITORY / "docs/examples/agent_server", root)
    return root


@pytest.fixture(scope="module")
def unused(example: Path) -> str:
    """The report of a replay that used nothing of the tape."""
    return failed(example, "unused", "nothing")


def failed(root: Path, name: str, action: str = "session") -> str:
    """The report of a real replay that fails."""
    target = root / f"{name}.html"
    paths = os.pathsep.join(str(root / part) for part in ("src", "generated", "tests"))
    subprocess.run(
        [sys.executable, "-c", REPLAY, target, action],
        cwd=root,
        env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
        timeout=60,
    )
    return target.as_uri()


def planted(root: Path, file: str, before: str, after: str, name: str) -> str:
    path = root / "src/agent_server" / file
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1
    path.write_text(text.replace(before, after), encoding="utf-8")
    try:
        return failed(root, name)
    finally:
        path.write_text(text, encoding="utf-8")


def test_another_argument_is_shown_field_by_field_where_it_came(open_page, example):
    before, after = "sum(bool(result.failure)", "sum(not result.failure"
    page = open_page(planted(example, "results.py", before, after, "argument"))
    banner = words(page, "#failure")
    assert "The replay failed in tests/test_session.py::test_it" in banner
    assert "Files.write was called with different arguments" in banner
    assert "server.py:" in banner  # where the program called
    assert "Recorded Actual" in banner
    assert page.locator("#failure mark").all_inner_texts() == [
        "Steps: 5, failed: 2.\n",
        "Steps: 5, failed: 3.\n",
    ]
    # The call is chosen already, and says it too.
    assert page.locator(f"{CHOSEN}.diverged").count() == 1
    assert "the replay diverged here" in words(page, CHOSEN)
    assert "The replay diverged here" in words(page, "#details")
    assert "Steps: 5, failed: 3." in words(page, "#details .diverged")
    page.keyboard.press("Escape")
    page.click("#failure a")
    assert page.locator(f"{CHOSEN}.diverged").count() == 1


def test_another_call_is_shown_against_the_one_that_was_due(open_page, example):
    before = "ended = self._clock.now()"
    after = "ended = max(self._clock.now(), self._clock.now())"
    page = open_page(planted(example, "server.py", before, after, "extra"))
    against = page.locator("#failure .against > div").all_inner_texts()
    assert "Files.write" in against[0]
    assert "Clock.now" in against[1]
    page.locator("#failure summary").click()
    assert "Last events done" in words(page, "#failure")


def test_events_that_were_not_used_are_marked(open_page, unused):
    page = open_page(unused)
    assert "recorded events were not used" in words(page, "#failure h2")
    assert 0 < page.locator("#rows .diverged").count() == page.locator("#rows .row").count()
    assert "not used in the replay" in words(page, CHOSEN)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_failure_is_marked_on_the_timeline(open_page, unused, scheme):
    page = open_page(unused, color_scheme=scheme)
    color = page.locator("#failure .kicker").evaluate("element => getComputedStyle(element).color")
    for selector in (".kicker", "h2", ".places a", ".places code", ".advice", "summary"):
        assert contrast(page, f"#failure {selector}") >= 4.5, selector
    assert contrast(page, "#rows .diverged .outcome strong") >= 4.5
    painted = partial(
        page.evaluate,
        """color => {
            const [r, g, b] = color.match(/\\d+/g).map(Number);
            const canvas = document.querySelector("canvas");
            const pen = canvas.getContext("2d");
            const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
            let count = 0;
            for (let i = 0; i < data.length; i += 4) {
                count += data[i] === r && data[i + 1] === g && data[i + 2] === b;
            }
            return count;
        }""",
        color,
    )
    assert soon(page, lambda: painted() > 300)
