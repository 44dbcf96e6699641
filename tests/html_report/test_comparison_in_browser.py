"""Two cassettes side by side, in headless Chromium."""

from pathlib import Path

import pytest
from page_parts import ROWS, contrast, details
from playwright.sync_api import Page
from report_pages import write_report_of
from tape_data import HEADER, write_tape

pytestmark = pytest.mark.slow


def ask(call: int, question: str, answer: object, **more: object) -> dict[str, object]:
    told = {"call": call, "of": "Oracle.ask", "at": call / 10, "args": {"question": question}}
    return {**told, "took": 0.05, "returned": answer, **more}


BEFORE = [
    ask(1, "the same", "yes"),
    ask(2, "modified", {"price": 1, "gone": "soon"}),
    ask(3, "removed", "no"),
    {"call": 4, "of": "Oracle.listen", "at": 0.4},
    {"item": 4, "at": 0.5, "value": "one"},
    {"end": 4, "at": 0.6, "returned": None},
    ask(5, "also the same", 5),
]
AFTER = [
    ask(1, "the same", "yes"),
    ask(2, "modified", {"price": 1.0}),
    {"call": 3, "of": "Oracle.listen", "at": 0.4},
    {"item": 3, "at": 0.5, "value": "<b>two</b>"},
    {"end": 3, "at": 0.6, "raised": {"$type": "OSError", "args": ["gone"]}},
    ask(5, "also the same", 5),
    ask(6, "added", "hello"),
]


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("compared")
    before = write_tape(folder / "before.yaml", BEFORE)
    after = write_tape(folder / "after.jsonl", AFTER, {**HEADER, "initial_state": {"user": "ada"}})
    return write_report_of(before, folder / "compared.html", str(after))


def rows(page: Page) -> list[str]:
    return [" ".join(text.split()) for text in page.locator(ROWS).all_inner_texts()]


def test_the_calls_of_both_stand_side_by_side(open_page, compared):
    page = open_page(compared)
    assert page.locator("#title").inner_text() == "before.yaml → after.jsonl"
    facts = page.locator("#facts").inner_text()
    assert "2 modified, 1 added, 1 removed" in facts
    assert "2 breaking" in facts
    assert "1 in the headers" in facts
    same, modified, removed, listen, also, added = rows(page)
    assert same.count("Oracle.ask question:") == 2
    assert modified.startswith("~ 2 → Oracle.ask")
    assert modified.endswith("breaking returned.price, returned.gone")
    assert removed == '- 3 → Oracle.ask question: "removed" removed'
    assert (
        listen == "~ 4 → Oracle.listen 3 → Oracle.listen breaking items[0], returned became raised"
    )
    question = '→ Oracle.ask question: "also the same"'
    assert also == f"7 {question} 6 {question}"
    assert added == '+ 7 → Oracle.ask question: "added" added'
    assert page.locator("canvas").count() == 2


def test_a_pair_shows_what_changed_and_both_sides(open_page, compared):
    page = open_page(compared)  # begins with the first difference
    said = details(page)
    assert "returned.price int became float breaking 1 1.0" in said
    assert 'returned.gone vanished breaking "soon" nothing' in said
    assert "Before ✓ returned" in said
    assert "After ✓ returned" in said
    page.keyboard.press("e")
    page.keyboard.press("e")
    assert '"one" "<b>two</b>"' in details(page)
    assert "After ✗ raised" in details(page)
    assert page.locator("#details b").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_changed_can_be_read_in_light_and_in_dark(open_page, compared, scheme):
    page = open_page(compared, color_scheme=scheme)
    for selector in (
        "#details .good .value",
        "#details .bad .value",
        "#details .differences small",
        "#details .differences strong",
        "#details .sides h2 .status",
        "#rows .added .outcome",
        "#rows .removed .outcome",
        "#rows .modified .sign",
        "#rows .same b",
    ):
        assert contrast(page, selector) >= 4.5, selector


def test_a_link_leads_to_an_event_of_either_side(open_page, compared):
    page = open_page(f"{compared}#after-event-4")
    (wanted,) = page.locator("#details .wanted").all_inner_texts()  # on its side alone
    assert wanted.split() == ["4", "500", "ms", '"<b>two</b>"']
    assert "Oracle.listen" in details(page)
    page.evaluate("location.hash = '#event-3'")
    page.wait_for_function("document.querySelector('#said').textContent.startsWith('event 3')")
    assert '"removed"' in details(page)


def test_filters_choose_what_changed(open_page, compared):
    page = open_page(compared)
    page.click("#changes button:has-text('added')")
    page.click("#changes button:has-text('removed')")
    assert [row[0] for row in rows(page)] == ["-", "+"]
    page.click("#clear")
    page.click("#changes button:has-text('breaking')")
    assert len(rows(page)) == 2
    page.fill("#search", "two")
    assert len(rows(page)) == 1
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert "Two recordings" in details(page)
    assert 'initial_state added nothing user "ada"' in details(page)


def test_a_tape_compared_with_itself_has_no_difference(open_page, tmp_path: Path):
    tape = write_tape(tmp_path / "tape.yaml", BEFORE)
    page = open_page(write_report_of(tape, tmp_path / "same.html", str(tape)))
    assert "no call differs" in page.locator("#facts").inner_text()
    assert len(rows(page)) == 5
    assert "Two recordings" in details(page)
