"""The report of one cassette, in headless Chromium, as a person uses it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page
from report_pages import EXAMPLE, HEADER, contrast, requests, write_report_of, write_tape

from vcr_gen.runtime.tape.storage import Recording

ROWS = "#rows [role=option]"
CHOSEN = "#rows [aria-selected=true]"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_report_of(EXAMPLE, tmp_path_factory.mktemp("example") / "release.html")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("large")
    tape = write_tape(folder / "large.jsonl", requests(10_000))
    return write_report_of(tape, folder / "large.html")


def names(page: Page) -> list[str]:
    return page.locator(f"{ROWS} b").all_text_contents()


def here(page: Page) -> str:
    """The part of the address that names an event; the browser tells us of it only later."""
    return page.evaluate("location.hash")


def details(page: Page) -> str:
    return " ".join(page.locator("#details").inner_text().split())


def pixels_like(page: Page, *variables: str) -> list[int]:
    """How many pixels of the timeline have the colours that variables of the style name."""
    return page.evaluate(
        """variables => new Promise((done) => requestAnimationFrame(() => {
            const canvas = document.querySelector("canvas");
            const { width, height } = canvas;
            const copy = Object.assign(document.createElement("canvas"), { width, height });
            const pen = copy.getContext("2d", { willReadFrequently: true });
            const root = getComputedStyle(document.documentElement);
            const colors = variables.map((variable) => {
                pen.fillStyle = root.getPropertyValue(variable);
                pen.fillRect(0, 0, 1, 1);
                return pen.getImageData(0, 0, 1, 1).data.slice(0, 3).join();
            });
            pen.clearRect(0, 0, 1, 1);
            pen.drawImage(canvas, 0, 0);
            const { data } = pen.getImageData(0, 0, width, height);
            const counts = new Map();
            for (let i = 0; i < data.length; i += 4) {
                const color = `${data[i]},${data[i + 1]},${data[i + 2]}`;
                counts.set(color, (counts.get(color) ?? 0) + 1);
            }
            done(colors.map((color) => counts.get(color) ?? 0));
        }))""",
        variables,
    )


def test_the_page_shows_the_session_at_a_glance(open_page, example):
    page = open_page(example)
    assert page.title() == "release.yaml · vcr-gen"
    facts = page.locator("#facts").inner_text()
    assert "23 calls" in facts
    assert "46 events" in facts
    assert len(names(page)) == 23
    assert names(page)[:3] == ["server.status", "server.start", "Files.read"]
    assert "The session" in details(page)
    assert "StepRunner.execute 5 1" in details(page)


def test_a_click_shows_arguments_with_their_types_items_and_result(open_page, example):
    page = open_page(example)
    page.locator(ROWS, has_text='command: "sort changes').click()
    said = details(page)
    assert "command str" in said
    assert '"sort changes/*.txt"' in said
    assert "working_dir Path" in said
    assert "variables Mapping[str, str]" in said
    assert 'StdoutLine text "Add: reports"' in said
    assert "Exited code 0" in said
    assert "within server.start" in said
    assert here(page) == "#event-8"


def test_a_call_that_raised_shows_the_exception(open_page, example):
    page = open_page(example)
    page.locator(ROWS, has_text="FileNotFoundError").click()
    assert "✗ raised" in details(page)
    assert 'FileNotFoundError args 0 2 1 "No such file or directory"' in details(page)


def test_a_bar_of_the_timeline_opens_its_call(open_page, example):
    page = open_page(example)
    page.click("#by-order")
    place = page.evaluate("""() => new Promise((done) => requestAnimationFrame(() => {
            const frame = document.querySelector("canvas").getBoundingClientRect();
            done({ width: frame.width, x: frame.x, y: frame.y });
        }))""")
    # Every one of 46 events has the same room behind the names; the first lane is the server's,
    # and its call of `continue_script` runs from event 24 to 29.
    across = 232 + (place["width"] - 232 - 16) * 26 / 46
    page.mouse.move(place["x"] + across, place["y"] + 26 + 13)
    assert "server.continue_script: returned" in page.locator("#hint").inner_text()
    page.mouse.click(place["x"] + across, place["y"] + 26 + 13)
    assert here(page) == "#event-24"
    assert "Steps can no longer hang" in details(page)
    page.mouse.move(place["x"] + 150, place["y"] + 26 + 26 * 2 + 13)
    assert page.locator("#hint").inner_text() == "Files, outbound, inside 5 calls"


def test_search_finds_names_arguments_results_and_items(open_page, example):
    page = open_page(example)
    page.fill("#search", "FINISH")
    assert set(names(page)) >= {"server.finish"}
    page.fill("#search", "no network")
    assert names(page) == ["server.start", "Files.read", "StepRunner.execute"]
    assert page.locator("#shown").inner_text() == "3 of 23 calls"
    page.fill("#search", '"%s\\n\\n%s\\n"')  # quotes and backslashes are looked for as they are
    assert names(page) == ["Files.read", "StepRunner.execute"]
    page.fill("#search", ">&2")
    assert names(page) == ["Files.read", "StepRunner.execute"]
    page.fill("#search", "nothing like it")
    assert names(page) == []
    assert page.locator("#empty").is_visible()


def test_filters_by_boundary_method_status_and_direction(open_page, example):
    page = open_page(example)
    page.click("#boundaries button:has-text('Files')")
    assert set(names(page)) == {"Files.read", "Files.write"}
    page.click("#statuses button:has-text('raised')")
    assert names(page) == ["Files.read"]
    page.click("#clear")
    assert len(names(page)) == 23
    page.select_option("#method", "Clock.now")
    assert names(page) == ["Clock.now"] * 4
    page.select_option("#method", "")
    page.click("#directions button:has-text('inbound')")
    assert set(names(page)) == {
        "server.status",
        "server.start",
        "server.continue_script",
        "server.finish",
    }
    page.click("#directions button:has-text('inbound')")
    page.click("#statuses button:has-text('cancelled')")
    assert names(page) == ["StepRunner.execute"]


def test_a_deep_link_opens_the_call_of_an_event_and_marks_the_item(open_page, example):
    page = open_page(f"{example}#event-17")
    assert page.locator(CHOSEN).inner_text().split()[0] == "14"
    assert "link check: no network" in page.locator(".wanted").inner_text()
    page.evaluate("location.hash = '#event-3'")
    page.wait_for_function("document.querySelector('#details h2').textContent === 'Files.read'")
    page.evaluate("location.hash = '#event-9999'")
    page.wait_for_function("document.querySelector('#details h2').textContent === 'The session'")


def test_a_deep_link_to_a_call_that_is_filtered_out_shows_it(open_page, example):
    page = open_page(example)
    page.fill("#search", "nothing like it")
    page.evaluate("location.hash = '#event-7'")
    page.wait_for_selector(CHOSEN)
    assert page.input_value("#search") == ""


def test_the_keyboard_is_enough(open_page, example):
    page = open_page(example)
    press = page.keyboard.press
    press("/")
    page.keyboard.type("release")
    assert page.evaluate("document.activeElement.id") == "search"
    press("Enter")
    assert page.evaluate("document.activeElement.id") == "list"
    first = here(page)
    assert re.search(r"#event-\d+$", first)
    press("j")
    second = here(page)
    assert second != first
    press("ArrowUp")
    assert here(page) == first
    active = page.locator("#list").get_attribute("aria-activedescendant")
    assert page.locator(f"#{active}").get_attribute("aria-selected") == "true"
    press("Enter")
    assert page.evaluate("document.activeElement.id") == "details"
    press("Escape")
    assert page.evaluate("document.activeElement.id") == "list"
    press("Escape")  # all calls again
    assert page.input_value("#search") == ""
    press("Escape")  # and none chosen
    assert "The session" in details(page)
    press("End")
    assert here(page) == "#event-45"
    press("Home")
    assert here(page) == "#event-1"
    press("e")
    assert "✗ raised" in details(page)
    press("?")
    assert page.locator("#help").is_visible()
    press("Escape")
    assert page.locator("#help").is_hidden()


def test_what_has_the_focus_can_be_seen(open_page, example):
    page = open_page(example)
    seen = set()
    for _ in range(20):
        page.keyboard.press("Tab")
        outline = page.evaluate("""() => {
                const { activeElement: element, body } = document;
                const style = getComputedStyle(element);
                const name = element === body ? "" : element.id || element.className;
                return [name, style.outlineStyle, parseFloat(style.outlineWidth)];
            }""")
        if outline[0]:
            assert outline[1:] == ["solid", 2], outline
        seen.add(outline[0])
    assert {"search", "method", "scroller", "list", "help-button"} <= seen


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_in_dark(open_page, example, scheme):
    page = open_page(f"{example}#event-3", color_scheme=scheme)
    backgrounds = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, re.findall(r"\d+", backgrounds)[:3])) < 150 or scheme == "light"
    for selector in (
        "#title",
        "#facts span",
        ".chip",
        ".chip .count",
        ".legend li",
        ".columns span",
        f"{ROWS} b",
        f"{ROWS} .of",
        f"{ROWS} .given",
        f"{ROWS} .took",
        f"{ROWS}.raised .outcome span",
        f"{CHOSEN} .given",
        f"{CHOSEN} .outcome span",
        "#details h3",
        "#details .type",
        "#details .typed > .type",
        "#details .number",
        "#details .text",
        "#details .status.raised",
        "#details a",
    ):
        assert contrast(page, selector) >= 4.5, selector
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert min(pixels_like(page, "--color-0", "--color-1", "--bad", "--ink")) > 20


def test_the_timeline_follows_when_the_scheme_changes(open_page, example):
    page = open_page(example, color_scheme="light")
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(200)
    assert pixels_like(page, "--panel")[0] > 10_000


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


def test_the_policy_lets_no_text_become_markup(browser, example):
    page = browser.new_page()
    page.goto(example)
    outcome = page.evaluate("""() => {
            try {
                document.body.innerHTML = "<p>markup</p>";
                return "set";
            } catch (error) {
                return error.name;
            }
        }""")
    page.close()
    assert outcome == "TypeError"


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
    page.click("#statuses button:has-text('never finished')")
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
