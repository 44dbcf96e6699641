"""What a person sees in the page of a report."""

from collections.abc import Callable

from playwright.sync_api import Page

ROWS = "#rows [role=option]"
CHOSEN = "#rows [aria-selected=true]"


def names(page: Page) -> list[str]:
    """The methods of the calls that are listed."""
    return page.locator(f"{ROWS} b").all_text_contents()


def here(page: Page) -> str:
    """The part of the address that names an event; the browser tells us of it only later."""
    return page.evaluate("location.hash")


def words(page: Page, selector: str) -> str:
    """What an element says, in one line."""
    return " ".join(page.locator(selector).inner_text().split())


def details(page: Page) -> str:
    """What is said of the call that was chosen."""
    return words(page, "#details")


def soon(page: Page, holds: Callable[[], bool]) -> bool:
    """Whether something comes to hold within ten seconds: a busy machine paints late."""
    for _ in range(100):
        if holds():
            return True
        page.wait_for_timeout(100)
    return False


def contrast(page: Page, selector: str) -> float:
    """The contrast of an element's text with what is behind it, as WCAG counts."""
    return page.locator(selector).first.evaluate("""element => {
            const channels = (color) => color.match(/[\\d.]+/g).map(Number);
            const luminance = ([r, g, b]) => {
                const [x, y, z] = [r, g, b].map((value) => {
                    value /= 255;
                    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
                });
                return 0.2126 * x + 0.7152 * y + 0.0722 * z;
            };
            let behind = element;
            while (behind && (channels(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0) {
                behind = behind.parentElement;
            }
            const [a, b] = [
                luminance(channels(getComputedStyle(element).color)),
                luminance(channels(getComputedStyle(behind).backgroundColor)),
            ].sort((x, y) => y - x);
            return (a + 0.05) / (b + 0.05);
        }""")
