from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from vcr_gen.boundary import outbound

if TYPE_CHECKING:
    import decimal
    import xml.dom
    from datetime import date, datetime

    from _typeshed import SupportsRead


@outbound
class Ledger(Protocol):
    def book(self, at: datetime, amount: decimal.Decimal) -> date | None: ...
    def load(self, source: SupportsRead[str]) -> None: ...
    def node(self) -> xml.dom.Node: ...
