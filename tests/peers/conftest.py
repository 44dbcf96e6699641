"""Wrappers of both ends of a link, for replays with a program outside the process."""

from pathlib import Path

from wrapping import wrap_package

_WRAPPERS = [wrap_package(Path(__file__).parent / name) for name in ("link", "far_link")]
