from datetime import date, datetime
from typing import Protocol

from vcr_gen.boundary import outbound


class Dated(Protocol):
    @property
    def datetime(self) -> str: ...


@outbound
class Calendar(Dated, Protocol):
    """Strings say what they say in the Protocol, where no member before them hides it."""

    def day(self, at: "datetime", *days: "list[date]") -> list["date | None"]: ...
    def date(self) -> "date": ...
