"""One object's way over the boundary: which session carries its calls, and in which direction."""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from os import getpid
from typing import TYPE_CHECKING, Any, TypeAlias, final

from vcr_gen.errors import UsageError
from vcr_gen.runtime.boundary.origins import using
from vcr_gen.runtime.boundary.session import Operation, Session
from vcr_gen.runtime.boundary.spec import Method

if TYPE_CHECKING:
    from vcr_gen.runtime.values.channel import Binder

__all__ = ["Link", "handle_being_built"]

handle_being_built: ContextVar[str] = ContextVar("vcr_gen_handle", default="")
"""The number of the handle whose wrapper is being built; generated code has no parameter for it."""

_Perform: TypeAlias = Callable[[Mapping[str, object]], Any]


@final
class Link:
    """Carries the calls of one wrapper, or of one live object."""

    __slots__ = ("_binder", "_origin", "_process", "_session", "on")

    def __init__(self, session: Session, binder: "Binder", on: str, origin: str = "") -> None:
        self._session = session
        self._binder = binder
        self._process = getpid()
        self._origin = origin
        self.on = on

    def call(self, method: Method, arguments: Mapping[str, object], perform: _Perform) -> Any:
        """Carry a call; whether it goes out or comes in is the method's nature."""
        operation = self._operation(method, arguments, perform)
        carry = self._session.come_in if method.inbound else self._session.go_out
        if not self._origin:
            return carry(operation)
        with using(self._origin):
            return carry(operation)

    async def acall(
        self, method: Method, arguments: Mapping[str, object], perform: _Perform
    ) -> Any:
        """Carry a call and await it."""
        operation = self._operation(method, arguments, perform)
        carry = self._session.come_in_async if method.inbound else self._session.go_out_async
        if not self._origin:
            return await carry(operation)
        with using(self._origin):
            return await carry(operation)

    def accepts(self, method: Method, arguments: Mapping[str, object]) -> bool:
        """Whether the arguments are of the method's types."""
        return self._binder.bind(method).accepts(arguments)

    def _operation(
        self, method: Method, arguments: Mapping[str, object], perform: _Perform
    ) -> Operation:
        if getpid() != self._process:  # both would write, or read, the one open file
            raise UsageError(
                f"{method.name} was called in a forked process: a cassette belongs to the process "
                f"that opened it ({self._process})\n\n"
                "hint: make the call there, or open a cassette of its own in the child"
            )
        return Operation(self._binder.bind(method), self.on, arguments, perform)
