from typing import TYPE_CHECKING, Optional, Protocol

from vcr_gen.boundary import outbound

if TYPE_CHECKING:
    from datetime import date, datetime


@outbound
class Ledger(Protocol):
    def book(self, at: "datetime", days: "list[date]") -> Optional["date"]: ...
    def plain(self, at: int) -> str: ...
