"""The report of one cassette, in headless Chromium, as a person uses it."""

import re

import pytest
from page_parts import CHOSEN, ROWS, contrast, details, here, names, soon
from playwright.sync_api import Page
from report_pages import EXAMPLE, write_report_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_report_of(EXAMPLE, tmp_path_factory.mktemp("example") / "release.html")


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
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    is_dark = sum(map(int, re.findall(r"\d+", background)[:3])) < 150
    assert is_dark == (scheme == "dark")
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
    assert soon(page, lambda: pixels_like(page, "--panel")[0] > 10_000)


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
