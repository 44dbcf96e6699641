"""Wrappers of the shop, made once by the real generator."""

from pathlib import Path

from wrapping import wrap_package

_WRAPPERS = wrap_package(Path(__file__).parent / "shop", "follow = false\n")
