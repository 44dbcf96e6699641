"""A real browser, and pages in it that must stay silent and alone."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from report_pages import find_chromium

Open: TypeAlias = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for a module, and no longer: while it runs, no other event loop can."""
    chromium = find_chromium()
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium)
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens a report; whatever it says on the console, throws or asks for fails the test."""
    complaints: list[str] = []
    contexts = []

    def open_page(address: str, **options: Any) -> Page:
        viewport = options.pop("viewport", {"width": 1440, "height": 900})
        context = browser.new_context(viewport=viewport, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda said: complaints.append(f"console: {said.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        own = address.partition("#")[0]
        page.on(
            "request",
            lambda asked: asked.url.partition("#")[0] in (own, "data:,")
            or complaints.append(f"request: {asked.url}"),
        )
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
