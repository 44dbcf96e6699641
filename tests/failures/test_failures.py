"""What a user reads when something goes wrong: the whole text, for every situation.

To accept changed texts, run `UPDATE_FAILURES=1 pytest tests/failures`, then read the diff.
"""

import gc
import os
import re
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from situations import SITUATIONS, TAPE

from vcr_gen import DivergenceError, VcrError

EXPECTED = Path(__file__).parent / "expected"
REPOSITORY = Path(__file__).parents[2]

VOLATILE = (
    (f"{REPOSITORY}/", ""),
    (r"(situations\.py):\d+", r"\1:LINE"),
    (r"(checkout\.yaml):\d+", r"\1:LINE"),
    (r"\bline \d+\]", "line LINE]"),
    (r"Task-\d+", "Task-N"),
    (r"0x[0-9a-f]+", "0xADDRESS"),
)


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder of its own, and the name of the test that a user would run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "tests/test_checkout.py::test_it (call)")
    for name in ("CI", "VCR_RECORD"):
        monkeypatch.delenv(name, raising=False)
    yield
    gc.collect()


def failure_of(situation: Callable[[], None]) -> VcrError | DivergenceError:
    """What a situation raises."""
    try:
        situation()
    except (VcrError, DivergenceError) as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_text_is_as_expected(name: str, caplog: pytest.LogCaptureFixture) -> None:
    error = failure_of(SITUATIONS[name])
    text = f"{type(error).__name__}: {error}\n"
    for pattern, instead in VOLATILE:
        text = re.sub(pattern, instead, text)
    file = EXPECTED / f"{name}.txt"
    if os.environ.get("UPDATE_FAILURES"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    expected = file.read_text(encoding="utf-8") if file.exists() else ""

    assert expected == text, "to accept: UPDATE_FAILURES=1 pytest tests/failures"


def test_every_expected_text_belongs_to_a_situation() -> None:
    assert sorted(SITUATIONS) == sorted(path.stem for path in EXPECTED.iterdir())
