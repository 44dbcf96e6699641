from __future__ import annotations

import datetime
from typing import Protocol


class Token: ...


class Timed(Protocol):
    def since(self, start: datetime.datetime, token: Token) -> datetime.date: ...
