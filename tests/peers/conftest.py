"""Wrappers of the `link` package, for replays with a program outside the process."""

from pathlib import Path

from wrapping import wrap_package

_WRAPPERS = wrap_package(Path(__file__).parent / "link")
