"""Objects other than boundaries that live on both sides: functions, streams, managers, awaitables.

Each crosses as a wrapper whose uses are calls of their own on the tape (`callable.call` on `#3`).
The same wrappers serve both ways: whether a use goes out or comes in is the link's business.
"""

import contextlib
import inspect
import typing
from collections import abc
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from functools import update_wrapper
from types import NoneType, TracebackType
from typing import Any, TypeAlias, final

from vcr_gen.runtime.boundary.base_streams import AsyncStream, StepKind, Stream
from vcr_gen.runtime.boundary.call_kinds import Kind, shape_of
from vcr_gen.runtime.boundary.port import Link
from vcr_gen.runtime.boundary.spec import Method, Parameter
from vcr_gen.runtime.codec import resolve_annotations
from vcr_gen.runtime.loops.backends import as_answer

__all__ = ["LiveKind", "live_kind"]

_Methods: TypeAlias = Mapping[str, Method]


@final
@dataclass(frozen=True, slots=True)
class LiveKind:
    """A kind of live object: its word on the tape, what it can do, and its wrapper."""

    word: str
    methods: _Methods
    wrap: Callable[[Link, _Methods, Any], Any]
    use: Callable[[Any, str, Mapping[str, object]], Any]
    """Uses a wrapper as a recorded call says."""
    fits: Callable[[object], bool]
    awaited: "LiveKind | None" = None
    """The kind of a coroutine function, where the types do not tell it from another function."""


def live_kind(annotation: object, *, inbound: bool) -> LiveKind | None:
    """The kind of live object that a type stands for, if any; `inbound` when it is exported."""
    shape = shape_of(annotation)
    match shape.kind:
        case Kind.STREAM:
            iterate = _method("stream.iterate", annotation, inbound=inbound)
            return LiveKind(
                "$stream", {"iterate": iterate}, _LiveStream, _use_stream, _is(abc.Iterator)
            )
        case Kind.ASYNC_STREAM:
            iterate = _method("stream.iterate", annotation, inbound=inbound)
            return LiveKind(
                "$stream",
                {"iterate": iterate},
                _LiveAsyncStream,
                _use_stream,
                _is(abc.AsyncIterable),
            )
        case Kind.AWAITABLE:
            wait = _method("awaitable.wait", shape.value, inbound=inbound, asynchronous=True)
            return LiveKind(
                "$awaitable", {"wait": wait}, _LiveAwaitable, _use_awaitable, _is(abc.Awaitable)
            )
    return _manager_kind(annotation, inbound=inbound) or _callable_kind(annotation, inbound=inbound)


def _manager_kind(annotation: object, *, inbound: bool) -> LiveKind | None:
    origin = typing.get_origin(annotation) or annotation
    arguments = typing.get_args(annotation)
    entered = arguments[0] if arguments else Any
    exception = (Parameter("exception", BaseException | None, "exception"),)
    if origin is contextlib.AbstractContextManager:
        return LiveKind(
            "$manager",
            {
                "enter": _method("manager.enter", entered, inbound=inbound),
                "exit": _method("manager.exit", bool | None, exception, inbound=inbound),
            },
            _LiveManager,
            _use_manager,
            _is(contextlib.AbstractContextManager),
        )
    if origin is contextlib.AbstractAsyncContextManager:
        return LiveKind(
            "$manager",
            {
                "enter": _method("manager.enter", entered, inbound=inbound, asynchronous=True),
                "exit": _method(
                    "manager.exit", bool | None, exception, inbound=inbound, asynchronous=True
                ),
            },
            _LiveAsyncManager,
            _use_async_manager,
            _is(contextlib.AbstractAsyncContextManager),
        )
    return None


def _callable_kind(annotation: object, *, inbound: bool) -> LiveKind | None:
    if typing.get_origin(annotation) is abc.Callable or annotation in (abc.Callable, Callable):
        parameters, result = _callable_types(typing.get_args(annotation))
        asynchronous = False
    elif _is_callback_protocol(annotation):
        parameters, result, asynchronous = _protocol_types(annotation)
    else:
        return None
    call = _method("callable.call", result, parameters, inbound=inbound, asynchronous=asynchronous)
    awaited = LiveKind(
        "$async_callable",
        {"call": call},
        _wrap_coroutine_function,
        _use_callable,
        inspect.iscoroutinefunction,
    )
    return LiveKind(
        "$callable",
        {"call": call},
        _wrap_coroutine_function if asynchronous else _wrap_callable,
        _use_callable,
        callable,
        None if asynchronous else awaited,
    )


_DYNAMIC = (
    Parameter("args", tuple[Any, ...], "args"),
    Parameter("kwargs", dict[str, Any], "kwargs"),
)


def _callable_types(arguments: tuple[Any, ...]) -> tuple[tuple[Parameter, ...], object]:
    if not arguments:
        return _DYNAMIC, Any
    given, result = arguments
    if not isinstance(given, list):  # `...` or a ParamSpec
        return _DYNAMIC, result
    return tuple(Parameter(f"arg{n}", type_, "") for n, type_ in enumerate(given, 1)), result


def _is_callback_protocol(annotation: object) -> bool:
    origin = typing.get_origin(annotation) or annotation
    return (
        isinstance(origin, type)
        and getattr(origin, "_is_protocol", False)
        and inspect.isfunction(vars(origin).get("__call__"))
    )


def _protocol_types(annotation: Any) -> tuple[tuple[Parameter, ...], object, bool]:
    function = vars(typing.get_origin(annotation) or annotation)["__call__"]
    types = resolve_annotations(function, function.__globals__, {})
    parameters = list(inspect.signature(function).parameters.values())[1:]
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if any(parameter.kind not in plain for parameter in parameters):
        return _DYNAMIC, types.get("return", Any), inspect.iscoroutinefunction(function)
    fixed = tuple(
        Parameter(p.name, types.get(p.name, Any), "", optional=p.default is not p.empty)
        for p in parameters
    )
    return fixed, types.get("return", Any), inspect.iscoroutinefunction(function)


def _method(
    name: str,
    result: object,
    parameters: tuple[Parameter, ...] = (),
    *,
    inbound: bool,
    asynchronous: bool = False,
) -> Method:
    return Method(name, parameters, result, asynchronous, inbound)


def _is(kind: Any) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kind)


def _wrap_callable(link: Link, methods: _Methods, real: Any) -> Any:
    method = methods["call"]
    # Libraries ask whether a callback is a coroutine function: the wrapper must answer alike.
    if inspect.iscoroutinefunction(real):
        return _wrap_coroutine_function(link, methods, real)

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return link.call(method, _arguments_of(method, args, kwargs), _performing(method, real))

    return _named_like(real, wrapper)


def _wrap_coroutine_function(link: Link, methods: _Methods, real: Any) -> Any:
    method = methods["call"]

    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        arguments, perform = _arguments_of(method, args, kwargs), _performing(method, real)
        if method.asynchronous:
            return await link.acall(method, arguments, perform)
        return await link.call(method, arguments, perform)

    return _named_like(real, wrapper)


def _named_like(real: Any, wrapper: Any) -> Any:
    return wrapper if real is None else update_wrapper(wrapper, real)


def _arguments_of(
    method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, object]:
    if method.parameters == _DYNAMIC:
        return {"args": args, "kwargs": kwargs}
    names = [parameter.name for parameter in method.parameters]
    return dict.fromkeys(names, ...) | dict(zip(names, args, strict=False)) | kwargs


def _performing(method: Method, real: Any) -> Callable[[Mapping[str, object]], Any]:
    def perform(arguments: Mapping[str, object]) -> Any:
        args, kwargs = _split(method, arguments)
        value = real(*args, **kwargs)
        # A lambda always returns a value; a caller that declares None ignores it.
        is_ignored = method.inbound and method.result in (None, NoneType)
        return None if is_ignored and not inspect.isawaitable(value) else value

    return perform


def _split(
    method: Method, arguments: Mapping[str, object]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if method.parameters == _DYNAMIC:
        args: Any = arguments["args"]
        kwargs: Any = arguments["kwargs"]
        return args, kwargs
    return tuple(value for value in arguments.values() if value is not ...), {}


def _use_callable(wrapper: Any, _: str, arguments: Mapping[str, object]) -> Any:
    if set(arguments) == {"args", "kwargs"}:
        args: Any = arguments["args"]
        kwargs: Any = arguments["kwargs"]
        return wrapper(*args, **kwargs)
    return wrapper(*(value for value in arguments.values() if value is not ...))


def _use_stream(wrapper: Any, _: str, __: Mapping[str, object]) -> Any:
    return wrapper.start()


@final
class _LiveStream(Stream):
    """A stream that is not itself the result of a call: it begins when it is first used."""

    def __init__(self, link: Link, methods: _Methods, real: Any) -> None:
        self._link = link
        self._iterate = methods["iterate"]
        self._real = real
        self._stream: Any = None

    def start(self) -> Any:
        """Begin to read: anew, where the environment got the stream a second time."""
        self._stream = self._link.call(self._iterate, {}, lambda _: iter(self._real))
        return self._stream

    def started(self) -> Any:
        return self.start() if self._stream is None else self._stream

    def step(self, kind: StepKind, value: Any = None) -> Any:
        return self.started().step(kind, value)

    def close(self) -> None:
        self.started().close()


@final
class _LiveAsyncStream(AsyncStream):
    """The same for an asynchronous stream."""

    def __init__(self, link: Link, methods: _Methods, real: Any) -> None:
        self._link = link
        self._iterate = methods["iterate"]
        self._real = real
        self._stream: Any = None

    def start(self) -> Any:
        """Begin to read: anew, where the environment got the stream a second time."""
        self._stream = self._link.call(self._iterate, {}, lambda _: aiter(self._real))
        return self._stream

    def started(self) -> Any:
        return self.start() if self._stream is None else self._stream

    async def step(self, kind: StepKind, value: Any = None) -> Any:
        return await self.started().step(kind, value)

    async def aclose(self) -> None:
        await self.started().aclose()


@final
class _LiveManager:
    """A context manager whose entering and leaving are calls."""

    def __init__(self, link: Link, methods: _Methods, real: Any) -> None:
        self._link = link
        self._methods = methods
        self._real = real

    def __enter__(self) -> Any:
        return self._link.call(self._methods["enter"], {}, lambda _: self._real.__enter__())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> bool | None:
        def leave(_: object) -> Any:
            return self._real.__exit__(kind, error, tb)

        swallowed: bool | None = self._link.call(self._methods["exit"], _seen(error), leave)
        return swallowed


def _seen(error: BaseException | None) -> dict[str, object]:
    """The argument of an exit: the exception that the manager is left with."""
    return {"exception": None if error is None else as_answer(error)}


def _use_manager(wrapper: _LiveManager, key: str, arguments: Mapping[str, Any]) -> Any:
    if key == "enter":
        return wrapper.__enter__()
    error: BaseException | None = arguments["exception"]
    return wrapper.__exit__(type(error) if error else None, error, None)


@final
class _LiveAsyncManager:
    """The same for an asynchronous context manager."""

    def __init__(self, link: Link, methods: _Methods, real: Any) -> None:
        self._link = link
        self._methods = methods
        self._real = real

    async def __aenter__(self) -> Any:
        enter = self._methods["enter"]
        return await self._link.acall(enter, {}, lambda _: self._real.__aenter__())

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> bool | None:
        def leave(_: object) -> Any:
            return self._real.__aexit__(kind, error, tb)

        exiting = self._link.acall(self._methods["exit"], _seen(error), leave)
        swallowed: bool | None = await exiting
        return swallowed


def _use_async_manager(wrapper: _LiveAsyncManager, key: str, arguments: Mapping[str, Any]) -> Any:
    if key == "enter":
        return wrapper.__aenter__()
    error: BaseException | None = arguments["exception"]
    return wrapper.__aexit__(type(error) if error else None, error, None)


@final
class _LiveAwaitable:
    """Something to await that is not itself the result of a call."""

    def __init__(self, link: Link, methods: _Methods, real: Any) -> None:
        self._link = link
        self._wait = methods["wait"]
        self._real = real

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._link.acall(self._wait, {}, lambda _: self._real).__await__()


def _use_awaitable(wrapper: Any, _: str, __: Mapping[str, object]) -> Any:
    return wrapper
