from typing import TYPE_CHECKING, Optional, Protocol

from vcr_gen.boundary import outbound

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date, datetime
    from fractions import Fraction


@outbound
class Ledger(Protocol):
    def book(self, at: "datetime", days: "list[date]") -> Optional["date"]: ...
    def share(self, part: "Fraction", by: "Callable[[date], int]") -> Optional["Fraction"]: ...
    def plain(self, at: int) -> str: ...
