"""Cassettes with templates, written by hand."""

from pathlib import Path

from market_sessions import RealMarket
from vcr_market import VcrMarket

from vcr_gen import Cassette

HEAD = 'vcr-gen: 1\nrecorded_at: "2026-11-16T00:00:00+00:00"\nevents:\n'
END = "end:\n  events: 1\n"


def tape(folder: Path, *lines: str) -> Path:
    """A cassette with one event, written by hand."""
    path = folder / "tape.yaml"
    body = "".join(f"  {line}\n" for line in ("at: 0.0", "took: 0.0", *lines[1:]))
    path.write_text(f"{HEAD}- call: 1\n  of: {lines[0]}\n{body}{END}", encoding="utf-8")
    return path


def fetched(folder: Path, template: str) -> str:
    """What `fetch` returns where the template stands."""
    path = tape(
        folder,
        "Market.fetch",
        "args:",
        "  key: a",
        "  options:",
        "    x: 5",
        "    items: 6",
        f"returned: !template {template}",
    )
    with Cassette(path, "none", templates=True) as cassette:
        market = VcrMarket.attach(cassette, RealMarket)
        return market.fetch("a", {"x": 5, "items": 6})
