"""What a port needs from a session, whether it records or replays."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from vcr_gen.runtime.values.channel import Bound

__all__ = ["Operation", "Session"]


@dataclass(frozen=True, slots=True)
class Operation:
    """One call as it reaches the boundary."""

    bound: "Bound"
    on: str
    """The handle it is made on (`#3`), or which of several wrappers; empty for the usual one."""
    arguments: Mapping[str, object] = field(repr=False)
    perform: Callable[[Mapping[str, object]], Any]
    """Makes the call for real, with the arguments that crossed."""


class Session(Protocol):
    """Carries calls over the boundary: out to the environment, or in to the application."""

    @property
    def calls_real(self) -> bool:
        """Whether outbound calls may reach the real environment."""

    def go_out(self, operation: Operation) -> Any:
        """The application calls the environment."""

    async def go_out_async(self, operation: Operation) -> Any:
        """The application calls the environment and awaits it."""

    def come_in(self, operation: Operation) -> Any:
        """The environment calls the application."""

    async def come_in_async(self, operation: Operation) -> Any:
        """The environment calls the application and awaits it."""
