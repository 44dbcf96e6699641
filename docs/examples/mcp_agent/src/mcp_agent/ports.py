"""What the agent needs of its environment, besides the library's server."""

from datetime import date
from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Clock(Protocol):
    """Knows the date."""

    def today(self) -> date: ...


@outbound
class Journal(Protocol):
    """Keeps what the agent has done, for people to read."""

    def add(self, line: str) -> None: ...
