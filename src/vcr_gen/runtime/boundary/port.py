"""Passes the calls of a wrapper or a live object to the session of its cassette."""

import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from inspect import Signature, signature
from os import getpid
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Protocol, TypeAlias, TypeVar, final

from vcr_gen.errors import UsageError
from vcr_gen.runtime.boundary.calls import AsyncCallTo, Call, CallTo
from vcr_gen.runtime.boundary.object_in_use import using
from vcr_gen.runtime.boundary.spec import Boundary, Method
from vcr_gen.runtime.loops.backends import as_answer

if TYPE_CHECKING:
    from vcr_gen.runtime.runs.cassette import Cassette
    from vcr_gen.runtime.values.bound_methods import Binder, Bound

P = TypeVar("P")
R = TypeVar("R")


@dataclass(slots=True)  # not frozen, as that doubles the cost of making one
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
        """Pass on a call, outbound or inbound as the method declares."""
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
                "hint: make the call there, or open a separate cassette in the child"
            )
        return Operation(self._binder.bind(method), self.on, arguments, perform)


class Port(Generic[P]):
    """Carries the calls of one wrapper over the boundary."""

    def __init__(
        self, cassette: "Cassette", boundary: Boundary, inner: P | None, wrapper: object
    ) -> None:
        check_cassette(cassette, f"{boundary.wrapper.__name__} needs an open cassette")
        self.boundary = boundary
        self._inner = inner
        self._cassette = cassette
        self._link = cassette.attach(boundary, wrapper, inner)
        self._methods: dict[type[Any], Method] = {}

    def __deepcopy__(self, memo: object) -> "typing.Self":
        """The port itself: a wrapper that was copied is of the same session."""
        del memo
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"a {self.boundary.wrapper.__name__} cannot be pickled: it belongs to the cassette of "
            "this process; open a cassette and attach a wrapper in each process"
        )

    @property
    def on(self) -> str:
        """Which of several wrappers of the boundary this one is; empty for the first."""
        return self._link.on

    def call(self, call: CallTo[P, R]) -> R:
        """Carry a call of a `def` member."""
        method, arguments, perform = self._prepare(call)
        result: R = self._link.call(method, arguments, perform)
        return result

    async def acall(self, call: AsyncCallTo[P, R]) -> R:
        """Carry a call of an `async def` member."""
        method, arguments, perform = self._prepare(call)
        result: R = await self._link.acall(method, arguments, perform)
        return result

    def never(self, call: CallTo[P, NoReturn]) -> NoReturn:
        """Carry a call of a member that does not return."""
        self.call(call)

    async def anever(self, call: AsyncCallTo[P, NoReturn]) -> NoReturn:
        """Carry a call of an `async def` member that does not return."""
        await self.acall(call)

    def unrecorded(self, member: str) -> P:
        """The real object, for a member that is passed through."""
        if self._inner is None:
            raise UsageError(
                f"{self.boundary.name}.{member} is marked @unrecorded and was used in a replay, "
                "which has no real object to pass it to; remove the mark, or do not use it in a "
                "replay"
            )
        return self._inner

    def choose(
        self,
        candidates: tuple[type[Call], ...],
        arguments: tuple[object, ...],
        options: Mapping[str, object],
    ) -> Any:
        """The typed call of the first overload that takes these arguments."""
        member = self.boundary.key_of(candidates[0])
        overloads = typing.get_overloads(getattr(self.boundary.wrapper, member))
        for candidate, overload in zip(candidates, overloads, strict=True):
            call = self._try(candidate, signature(overload), arguments, options)
            if call is not None:
                return call
        raise TypeError(f"no overload of {self.boundary.name}.{member} takes these arguments")

    def _try(
        self,
        candidate: type[Call],
        overload: Signature,
        arguments: tuple[object, ...],
        options: Mapping[str, object],
    ) -> Call | None:
        try:
            bound = overload.bind(self, *arguments, **options)
        except TypeError:
            return None
        bound.apply_defaults()
        given = dict(list(bound.arguments.items())[1:])
        method = self.boundary.method(candidate)
        if not self._link.accepts(method, given):
            return None
        fields = {p.field: given[p.name] for p in (*method.parameters, *method.unrecorded)}
        return candidate(**fields)

    def _prepare(self, call: Any) -> Any:
        method = self._methods.get(type(call))
        if method is None:
            method = self._methods[type(call)] = self.boundary.method(type(call))
        arguments = {p.name: getattr(call, p.field) for p in method.parameters}
        if method.leaves:
            arguments = {
                name: as_answer(value) if isinstance(value, BaseException) else value
                for name, value in arguments.items()
            }

        def perform(forwarded: Mapping[str, object]) -> Any:
            if forwarded is arguments:
                return call(self._inner)
            changed = {
                p.field: forwarded[p.name]
                for p in method.parameters
                if forwarded[p.name] is not arguments[p.name]
            }
            return (replace(call, **changed) if changed else call)(self._inner)

        return method, arguments, perform


@final
class OutboundPort(Port[P]):
    """The port of an outbound boundary: the real object exists only when it may be called."""

    def __init__(
        self, cassette: "Cassette", boundary: Boundary, inner: P | None, wrapper: object
    ) -> None:
        check_cassette(cassette, f"{boundary.wrapper.__name__} needs an open cassette")
        if inner is None and cassette.calls_real:
            raise UsageError(
                f"{boundary.wrapper.__name__} needs inner=… because the cassette is recording; "
                f"{boundary.wrapper.__name__}.attach(cassette, factory) builds it when needed"
            )
        if inner is not None and not cassette.calls_real:
            raise UsageError(
                f"{boundary.wrapper.__name__} got an inner in a replay, which must not reach the "
                f"real environment; {boundary.wrapper.__name__}.attach(cassette, factory) builds "
                "it only when needed"
            )
        super().__init__(cassette, boundary, inner, wrapper)


@final
class InboundPort(Port[P]):
    """The port of an inbound boundary: around the application itself."""


@final
class MixedPort(Port[P]):
    """The port of a boundary that carries both ways."""


def check_cassette(value: object, needs: str) -> None:
    """Refuse anything but a cassette, such as its path."""
    if hasattr(value, "calls_real"):
        return
    got = f"the class {value.__name__}" if isinstance(value, type) else repr(value)
    raise UsageError(f"{needs}; got {got}\n\nhint: with Cassette(path) as cassette: …")


def port_of(wrapper: object) -> Port[Any]:
    """The port of a generated wrapper; the attribute may have any name."""
    held = vars(wrapper)
    for value in (held.get("_port"), *held.values()):
        if isinstance(value, Port):
            return value
    raise UsageError(f"expected a generated wrapper; got {type(wrapper).__name__}")
