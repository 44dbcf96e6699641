"""What a user reads when something goes wrong: the whole text, for every situation.

To accept changed texts, run `UPDATE_FAILURES=1 pytest tests/failures`, then read the diff.
"""

import gc
import logging
import os
import re
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from situations import SITUATIONS, TAPE

from vcr_gen import DivergenceError, VcrError
from vcr_gen.errors import UnusedEventsError

EXPECTED = Path(__file__).parent / "expected"
REPOSITORY = Path(__file__).parents[2]

VOLATILE = (
    (f"{REPOSITORY}/", ""),
    (r"(situations/\w+\.py):\d+", r"\1:LINE"),
    (r"(checkout\.yaml):\d+", r"\1:LINE"),
    (r"\bline \d+\]", "line LINE]"),
    (r"Task-\d+", "Task-N"),
    (r"\d+ seconds? old", "some seconds old"),
    (r"<redacted[^>]*>", "<redacted>"),  # which secret it stands for is another test's business
)

KINDS = {
    "an_argument_changed": "argument",
    "a_call_on_another_handle": "argument",
    "two_calls_changed_places": "order",
    "a_call_was_dropped": "order",
    "a_call_was_dropped_and_the_next_one_changed": "order",
    "a_call_was_added": "extra",
    "a_call_was_repeated": "extra",
    "a_call_was_added_at_the_end": "extra",
    "a_loop_over_a_stream_skips_a_call": "missing",
    "an_inbound_call_no_longer_makes_its_outbound_call": "missing",
    "a_parameter_was_added_since": "signature",
    "a_method_was_renamed_since": "signature",
    "an_inbound_call_returns_another_value": "answer",
    "a_callback_returns_another_value": "answer",
    "a_stream_was_closed_early": "stream",
    "a_stream_is_read_further_than_recorded": "stream",
    "a_call_is_cancelled_that_came_to_its_end": "cancellation",
    "a_call_is_no_longer_cancelled": "cancellation",
    "the_recording_stopped_while_a_call_was_in_flight": "unanswered",
    "the_rest_of_a_stream_is_not_read_before_the_next_call": "unheard",
    "nobody_drives_an_inbound_call": "undriven",
}
"""What most likely changed, in one word, for some of each."""


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder of its own, and an environment in which nobody wished for anything."""
    monkeypatch.chdir(tmp_path)
    for name in ("CI", "VCR_RECORD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(logging.getLogger("asyncio"), "level", logging.CRITICAL + 1)
    yield
    gc.collect()  # tasks that a divergence ended; asyncio logs each as it is collected


def failure_of(name: str) -> VcrError | DivergenceError:
    """What a situation raises."""
    try:
        SITUATIONS[name]()
    except (VcrError, DivergenceError) as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_text_is_as_expected(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "tests/test_checkout.py::test_it (call)")
    error = failure_of(name)
    text = f"{type(error).__name__}: {error}\n"
    for pattern, instead in VOLATILE:
        text = re.sub(pattern, instead, text)
    file = EXPECTED / f"{name}.txt"
    if os.environ.get("UPDATE_FAILURES"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    expected = file.read_text(encoding="utf-8") if file.exists() else ""

    assert expected == text, "to accept: UPDATE_FAILURES=1 pytest tests/failures"
    _check_places(error)
    assert _frames_of_ours(error) == []


def _check_places(error: VcrError | DivergenceError) -> None:
    """Every event that the error names stands where it says."""
    if isinstance(error, DivergenceError):
        facts = error.divergence
        named = [*facts.done, *facts.nearest, *([facts.due] if facts.due is not None else [])]
    else:
        named = list(error.events) if isinstance(error, UnusedEventsError) else []
    lines = TAPE.read_text(encoding="utf-8").splitlines() if TAPE.exists() else []
    start = lines.index("events:") if "events:" in lines else 0
    numbered = list(enumerate(lines, start=1))[start:]
    items = [number for number, line in numbered if line.startswith("- ")]
    assert [items[event.number - 1] for event in named] == [event.line for event in named]


def _frames_of_ours(error: VcrError | DivergenceError) -> list[str]:
    """Frames that a user has no use for; where opening or use is refused, they are left."""
    if not isinstance(error, DivergenceError | UnusedEventsError):
        return []
    files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    return [file for file in files if "/src/vcr_gen/" in file or "vcr_shop" in file]


@pytest.mark.parametrize("name", KINDS)
def test_the_kind_is_data(name: str) -> None:
    error = failure_of(name)

    assert isinstance(error, DivergenceError)
    assert error.divergence.kind == KINDS[name]


def test_all_facts_are_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "tests/test_checkout.py::test_it (call)")
    error = failure_of("one_of_many_calls_is_like_others")
    assert isinstance(error, DivergenceError)
    facts = error.divergence

    assert (facts.boundary, facts.method, facts.event) == ("Bank", "pay", 1)
    assert facts.cassette == TAPE
    assert facts.place == f"{TAPE}:{facts.line}"
    assert [(one.path, one.recorded, one.actual) for one in facts.differences] == [
        ("account", "ann", "cid"),
        ("amount", 10, 12),
    ]
    assert [event.number for event in facts.nearest] == [3, 2, 4]
    assert facts.actual == 'Bank.pay(account="cid", amount=12)'
    assert re.fullmatch(r".*situations/calls\.py:\d+ in <lambda>", facts.call_site)
    assert facts.commands == ("VCR_RECORD=1 pytest tests/test_checkout.py::test_it",)


def test_the_command_is_the_one_that_the_opener_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_CURRENT_TEST", raising=False)
    assert "run it with VCR_RECORD=1 in the environment" in str(failure_of("an_argument_changed"))
    assert "record again: make record" in str(failure_of("an_argument_changed_and_make_records"))


def test_a_task_group_that_has_nothing_else_to_tell_is_not_told_of() -> None:
    error = failure_of("a_call_in_a_task_group_changed")

    shown = "".join(traceback.format_exception(error))
    assert shown.count("was called with different arguments") == 1
    assert "TaskGroup" not in shown


def test_a_secret_is_in_no_text() -> None:
    error = failure_of("an_argument_beside_a_secret_changed")

    assert isinstance(error, DivergenceError)
    assert "hunter" not in f"{error}{error.divergence!r}"


def test_every_expected_text_belongs_to_a_situation() -> None:
    assert sorted(SITUATIONS) == sorted(path.stem for path in EXPECTED.iterdir())
