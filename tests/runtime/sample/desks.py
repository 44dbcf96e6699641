"""A boundary that hands out objects of one whose module cannot be imported here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from vcr_gen.boundary import outbound

if TYPE_CHECKING:
    from sample.screens import Screen


@outbound
class Desk(Protocol):
    def height(self) -> int: ...

    def screen(self) -> Screen: ...
