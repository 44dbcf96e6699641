"""Takes the picture of a report that the README shows: `make picture`."""

import tempfile
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import sync_playwright
from report_pages import EXAMPLE, REPOSITORY, find_chromium, write_report_of

TARGET: Final = REPOSITORY / "docs/images/report.png"


def take_picture(target: Path) -> None:
    """The report of the example, in the order of its events, with a cancelled call chosen."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        address = write_report_of(EXAMPLE, Path(folder) / "release.html")
        browser = playwright.chromium.launch(executable_path=find_chromium())
        page = browser.new_page(viewport={"width": 1180, "height": 700})
        page.goto(f"{address}#event-20")
        page.get_by_text("Order", exact=True).click()
        page.screenshot(path=target)
        browser.close()
    with Image.open(target) as picture:
        fewer = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    fewer.save(target, optimize=True)


if __name__ == "__main__":
    take_picture(TARGET)
