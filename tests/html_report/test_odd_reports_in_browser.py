"""Reports of hostile, large, overlapping and interrupted recordings, in headless Chromium."""

from pathlib import Path

import pytest
from page_parts import CHOSEN, ROWS, details, here, names
from report_pages import requests, write_report_of
from tape_data import HEADER, write_tape

from vcr_gen.runtime.tape.recording import Recording

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("large")
    tape = write_tape(folder / "large.jsonl", requests(10_000))
    return write_report_of(tape, folder / "large.html")


HOSTILE = "</script><img src=x onerror=alert(1)>"
"""What would run, or load, if it ever became markup."""


def hostile_events() -> list[dict[str, object]]:
    bad = HOSTILE
    return [
        {"call": 1, "of": f"{bad}.{bad}", "inbound": True, "strand": bad, "on": bad, "at": 0.0},
        {
            "call": 2,
            "of": "__proto__.constructor",
            "strand": "<!--<script>",
            "within": 1,
            "at": 0.1,
            "args": {bad: {bad: [bad, f"{bad}\n\u2028\u2029&amp;{{{{ data }}}}"], "$type": bad}},
            "took": 0.1,
            "raised": {"$type": bad, "args": [bad], "__proto__": {"x": 1}},
        },
        {"item": 1, "at": 0.2, "value": {"$type": "a.B", "$value": bad, "hasOwnProperty": "<b>"}},
        {
            "end": 1,
            "at": 0.3,
            "returned": f"javascript:alert(1) {bad} <svg onload=alert(1)>",
        },
    ]


def test_calls_are_named_by_an_argument(open_page, tmp_path):
    methods = {"ask": "(what: Annotated[str, Shown(name='{}')]) -> int"}
    header = {**HEADER, "boundaries": {"Api": {"direction": "outbound", "methods": methods}}}
    calls = [
        {"call": n, "of": "Api.ask", "at": 1.0 * n, "args": {"what": what}, "took": 0.1}
        for n, what in enumerate(("tools/list", "tools/call", "tools/call"), start=1)
    ]
    tape = write_tape(tmp_path / "tape.yaml", [{**call, "returned": 1} for call in calls], header)
    page = open_page(write_report_of(tape, tmp_path / "tape.html"))
    assert names(page) == ["Api tools/list", "Api tools/call", "Api tools/call"]
    page.locator("#method").select_option("Api tools/call")
    assert len(names(page)) == 2
    page.locator(ROWS).first.click()
    assert details(page).startswith("Api tools/call")


def test_markup_in_a_recording_stays_text(open_page, tmp_path):
    header = {
        **HEADER,
        "initial_state": {HOSTILE: HOSTILE},
        "anchors": [HOSTILE],
        "order": {HOSTILE: "lanes"},
        "boundaries": {HOSTILE: {"direction": "inbound", "methods": {HOSTILE: f"({HOSTILE})"}}},
    }
    tape = write_tape(tmp_path / "<img src=x onerror=alert(1)>.yaml", hostile_events(), header)
    address = write_report_of(tape, tmp_path / "<b>.html")
    page = open_page(address)
    assert f"Settings order {HOSTILE}" in details(page)
    assert "<img src=x onerror=alert(1)>.yaml" in page.locator("#title").inner_text()
    for event in (1, 2, 3):
        page.evaluate("event => { location.hash = `#event-${event}` }", event)
        page.wait_for_function(
            "event => document.querySelector('#said').textContent.startsWith(`event ${event},`)",
            arg=event,
        )
        assert HOSTILE in details(page)
    page.mouse.move(300, 250)
    assert page.locator("img, svg, iframe, #details script, b img").count() == 0
    page.fill("#search", "onerror")
    assert len(names(page)) == 2
    page.fill("#search", "\u2028")
    assert names(page) == ["__proto__.constructor"]


def test_values_are_shown_exactly(open_page, tmp_path):
    arguments = {
        "whole": 1,
        "float": 1.0,
        "large": 9007199254740993,
        "order": {"2": "second", "1": "first"},
        "yes": True,
        "none": None,
        "empty": "",
        "nothing": [],
        "lines": "one\n  two\n",
    }
    events = [{"call": 1, "of": "Db.put", "at": 0.0, "args": arguments, "took": 0.0, "returned": 1}]
    tape = write_tape(tmp_path / "values.jsonl", events)
    page = open_page(write_report_of(tape, tmp_path / "values.html") + "#event-1")
    said = details(page)
    assert "whole 1 float 1.0 large 9007199254740993" in said
    assert 'order 2 "second" 1 "first" yes true none null empty "" nothing an empty list' in said
    assert page.locator("#details pre.lines").inner_text() == "one\n  two\n"


def test_large_values_are_shown_when_they_are_asked_for(open_page, tmp_path):
    large = 'a "quoted" line\n' * 200_000
    event = {"call": 1, "of": "Files.read", "at": 0.0, "took": 0.0, "returned": large}
    tape = write_tape(tmp_path / "large.jsonl", [event])
    page = open_page(write_report_of(tape, tmp_path / "large.html"))
    assert page.locator("#rows .outcome").inner_text().endswith("… 3,800 kB")
    page.keyboard.press("j")
    assert len(page.locator("#details pre").inner_text()) < 4_000
    page.click("text=all 3,200,000 characters")
    assert page.locator("#details pre").evaluate("element => element.textContent") == large


def test_ten_thousand_events_open_search_and_scroll_without_delay(open_page, large):
    page = open_page(large)
    # Generous, since other work may share the machine; a page that made all rows takes far longer.
    ready = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    assert ready < 5000
    assert page.evaluate("document.querySelectorAll('*').length") < 2000
    spent = page.evaluate("""() => {
            const began = performance.now();
            const search = document.getElementById("search");
            search.value = "/users/2499";
            search.dispatchEvent(new Event("input"));
            return performance.now() - began;
        }""")
    assert spent < 1500
    assert page.locator("#shown").inner_text() == "1 of 7,500 calls"
    page.fill("#search", "")
    page.focus("#list")
    page.keyboard.press("End")
    assert here(page) == "#event-9999"
    assert page.locator(CHOSEN).is_visible()
    page.click("#zoom-in")
    page.click("#by-order")
    page.wait_for_timeout(100)
    assert page.evaluate("document.querySelectorAll('*').length") < 2000


def test_calls_that_overlap_get_rows_of_their_own(open_page, tmp_path):
    events = [
        {"call": 1, "of": "Db.query", "at": 0.0},
        {"call": 2, "of": "Db.query", "at": 0.1},
        {"call": 3, "of": "Db.query", "at": 0.2, "strand": "0.1"},
        {"end": 1, "at": 0.3, "returned": None},
        {"end": 2, "at": 0.4, "cancelled": None},
        {"call": 4, "of": "Db.query", "at": 0.5, "took": 0.1, "returned": None},
    ]
    page = open_page(write_report_of(write_tape(tmp_path / "o.yaml", events), tmp_path / "o.html"))
    height = page.locator(".extent").evaluate("element => element.offsetHeight")
    assert (height - 26 - 6) / 26 == 3  # two that overlap, and another strand
    page.click("#statuses button:has-text('unfinished')")
    assert page.locator(f"{ROWS} .event").all_text_contents() == ["3"]


def test_a_long_stream_is_shown_in_portions_around_the_item_that_is_meant(open_page, tmp_path):
    items = [{"item": 1, "at": n / 1000, "value": f"item {n}"} for n in range(1, 2001)]
    start, end = {"call": 1, "of": "Log.follow", "at": 0.0}, {"end": 1, "at": 3.0, "returned": None}
    tape = write_tape(tmp_path / "stream.jsonl", [start, *items, end])
    page = open_page(write_report_of(tape, tmp_path / "stream.html") + "#event-1001")
    steps = page.locator("#details .steps li")
    assert '"item 1000"' in page.locator(".wanted").inner_text()
    assert steps.count() == 200
    page.click("text=899 earlier steps")
    page.click("text=901 more steps")
    assert steps.count() == 600
    assert '"item 700"' in steps.first.inner_text()


def test_an_interrupted_recording_is_shown_as_far_as_it_goes(open_page, tmp_path):
    recording = Recording(tmp_path / "tape.yaml")
    recording.begin(HEADER)
    recording.append({"call": 1, "of": "Db.query", "at": 0.0})
    partial = recording.abandon()
    assert partial is not None
    page = open_page(write_report_of(Path(partial), tmp_path / "partial.html"))
    assert names(page) == ["Db.query"]
    assert "interrupted" in page.locator("#facts .problem").inner_text()
    assert "the recording stopped here" in page.locator("#facts .problem").inner_text()


def test_a_cassette_without_events_opens_too(open_page, tmp_path):
    tape = write_tape(tmp_path / "empty.yaml", [])
    page = open_page(write_report_of(tape, tmp_path / "empty.html"))
    assert "0 calls" in page.locator("#facts").inner_text()
    page.keyboard.press("j")
    page.keyboard.press("e")
    assert "The session" in details(page)


def blocks_and_streams() -> list[dict[str, object]]:
    error = {"$type": "app.OutOfStock", "args": ["1 x tea missing"]}
    items = [{"at": 0.3, "value": 10}, {"at": 0.4, "value": {"$handle": 2}}]
    return [
        {"call": 1, "of": "Store.lock", "at": 0.0, "args": {"name": "a"}, "took": 0.0001}
        | {"returned": {"$manager": 1}},
        {"call": 2, "of": "manager.enter", "on": "#1", "at": 0.1, "took": 0.0}
        | {"returned": {"$handle": 2}},
        {"call": 3, "of": "Rows.fetch", "on": "#2", "at": 0.1, "took": 0.05, "clock": 0.1}
        | {"returned": [1]},
        {"call": 4, "of": "manager.exit", "on": "#1", "at": 0.2, "args": {"exception": error}}
        | {"took": 0.0, "returned": False},
        {"call": 5, "of": "Store.prices", "at": 0.2, "items": items, "closed_at": 0.5}
        | {"ended_at": 0.5},
    ]


def test_live_objects_are_named_by_the_call_that_brought_them(open_page, tmp_path):
    tape = write_tape(tmp_path / "blocks.yaml", blocks_and_streams())
    page = open_page(write_report_of(tape, tmp_path / "blocks.html") + "#event-3")
    assert names(page) == [
        *("Store.lock", "Store.lock: enter block", "Rows.fetch", "Store.lock: leave block"),
        "Store.prices",
    ]
    assert 'on #2 of Store.lock(name="a")' in details(page)
    took = page.locator(f"{ROWS} .took").all_text_contents()
    assert took == ["<1 ms", "<1 ms", "50 ms", "<1 ms", "300 ms"]
    outcomes = page.locator(f"{ROWS} .outcome").all_text_contents()
    assert outcomes == ["✓context manager #1", "✓handle #2", "✓[1]", "✓false", "✓2 items"]
    page.keyboard.press("End")
    assert page.locator(".steps li").all_inner_texts() == [
        *("5\n300 ms\n10", "5\n400 ms\nhandle #2", "5\n500 ms\nis closed")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_fits_a_narrow_window(open_page, tmp_path, scheme):
    tape = write_tape(tmp_path / "blocks.yaml", blocks_and_streams())
    address = write_report_of(tape, tmp_path / "blocks.html")
    page = open_page(address, color_scheme=scheme, viewport={"width": 500, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") == 500
    cut = "element => element.scrollWidth > element.clientWidth"
    for selector in (f"{ROWS} b", f"{ROWS} .took", ".columns span", "#facts span"):
        assert [each for each in page.locator(selector).all() if each.evaluate(cut)] == []
    lines = page.locator("#details td:first-child").evaluate_all(
        "cells => cells.map((cell) => cell.getClientRects().length && cell.offsetHeight)"
    )
    assert len(set(lines)) == 1  # no name is broken
