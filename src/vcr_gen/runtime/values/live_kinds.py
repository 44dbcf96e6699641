"""Objects that both sides share without a boundary: functions, streams, managers, awaitables.

Each crosses as a wrapper whose uses are separate calls on the tape (`callable.call` on `#3`).
The same wrappers serve both ways: whether a use goes out or comes in is the link's business.
"""

import inspect
import typing
from collections import abc
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from functools import update_wrapper
from types import NoneType
from typing import Any, final

from vcr_gen.runtime.boundary.base_streams import AsyncStream, StepKind, Stream
from vcr_gen.runtime.boundary.call_kinds import Kind, shape_of
from vcr_gen.runtime.boundary.port import Link
from vcr_gen.runtime.boundary.spec import Method, Parameter
from vcr_gen.runtime.codec import resolve_annotations
from vcr_gen.runtime.values.live_asyncio_streams import asyncio_kinds
from vcr_gen.runtime.values.live_files import file_kinds
from vcr_gen.runtime.values.live_object import Live, LiveKind, Methods, exit_arguments, seen


def live_kinds(annotation: object, *, inbound: bool) -> tuple[LiveKind, ...]:
    """The kinds of live objects that a type stands for; `inbound` when they are exported.

    The first that fits an object is its kind; the last fits them all.
    """
    shape = shape_of(annotation)
    match shape.kind:
        case Kind.STREAM:
            methods = {"iterate": Method("stream.iterate", (), annotation, False, inbound)}
            return (LiveKind("$stream", methods, _LiveStream, _use_stream, _is(abc.Iterator)),)
        case Kind.ASYNC_STREAM:
            methods = {"iterate": Method("stream.iterate", (), annotation, False, inbound)}
            fits = _is(abc.AsyncIterable)
            return (LiveKind("$stream", methods, _LiveAsyncStream, _use_stream, fits),)
        case Kind.AWAITABLE:
            methods = {"wait": Method("awaitable.wait", (), shape.value, True, inbound)}
            fits = _is(abc.Awaitable)
            return (LiveKind("$awaitable", methods, _LiveAwaitable, _use_awaitable, fits),)
    return (
        _manager_kinds(annotation, inbound=inbound)
        or _callable_kinds(annotation, inbound=inbound)
        or file_kinds(annotation, inbound=inbound)
        or asyncio_kinds(annotation, inbound=inbound)
    )


def _manager_kinds(annotation: object, *, inbound: bool) -> tuple[LiveKind, ...]:
    origin = typing.get_origin(annotation) or annotation
    managers: dict[object, tuple[bool, Any]] = {
        AbstractContextManager: (False, _LiveManager),
        AbstractAsyncContextManager: (True, _LiveAsyncManager),
    }
    if origin not in managers:
        return ()
    asynchronous, wrap = managers[origin]
    entered = (*typing.get_args(annotation), Any)[0]
    exception = Parameter("exception", BaseException | None, "exception")
    methods = {
        "enter": Method("manager.enter", (), entered, asynchronous, inbound),
        "exit": Method(
            "manager.exit", (exception,), bool | None, asynchronous, inbound, leaves=True
        ),
    }
    return (LiveKind("$manager", methods, wrap, _use_manager, _is(origin)),)


def _callable_kinds(annotation: object, *, inbound: bool) -> tuple[LiveKind, ...]:
    if typing.get_origin(annotation) is abc.Callable or annotation in (abc.Callable, Callable):
        parameters, result = _callable_types(typing.get_args(annotation))
        asynchronous = False
    elif _is_callback_protocol(annotation):
        parameters, result, asynchronous = _protocol_types(annotation)
    else:
        return ()
    methods = {"call": Method("callable.call", parameters, result, asynchronous, inbound)}
    wrap = _wrap_coroutine_function if asynchronous else _wrap_callable
    function = LiveKind("$callable", methods, wrap, _use_callable, callable)
    if asynchronous or inbound:  # what is exported is asked when it is called
        return (function,)
    # Of what the program gets in a replay, only the tape knows if it was a coroutine function.
    fits = inspect.iscoroutinefunction
    awaited = LiveKind("$async_callable", methods, _wrap_coroutine_function, _use_callable, fits)
    return (awaited, function)


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


def _is(kind: Any) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kind)


def _wrap_callable(link: Link, methods: Methods, real: Any) -> Any:
    method = methods["call"]
    # Libraries ask whether a callback is a coroutine function: the wrapper must answer alike.
    if inspect.iscoroutinefunction(real):
        return _wrap_coroutine_function(link, methods, real)

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return link.call(method, _arguments_of(method, args, kwargs), _performing(method, real))

    return _named_like(real, wrapper)


def _wrap_coroutine_function(link: Link, methods: Methods, real: Any) -> Any:
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


class _Lazy(Live):
    """A stream that is not itself the result of a call: it begins when it is first used."""

    _stream: Any = None

    def iterate(self) -> Any:
        """Ask the real object for its iterator."""
        return iter(self._real)

    def started(self) -> Any:
        return self.start() if self._stream is None else self._stream

    def start(self) -> Any:
        """Begin to read; from the start if the environment got the stream a second time."""
        self._stream = self._link.call(self._methods["iterate"], {}, lambda _: self.iterate())
        return self._stream


@final
class _LiveStream(_Lazy, Stream):
    def step(self, kind: StepKind, value: Any = None) -> Any:
        return self.started().step(kind, value)

    def close(self) -> None:
        self.started().close()


@final
class _LiveAsyncStream(_Lazy, AsyncStream):
    def iterate(self) -> Any:
        return aiter(self._real)

    async def step(self, kind: StepKind, value: Any = None) -> Any:
        return await self.started().step(kind, value)

    async def aclose(self) -> None:
        await self.started().aclose()


@final
class _LiveManager(Live):
    """A context manager whose entering and leaving are calls."""

    def enter(self) -> Any:
        return self._link.call(self._methods["enter"], {}, lambda _: self._real.__enter__())

    def leave(self, error: BaseException | None) -> Any:
        def leave(_: object) -> Any:
            return self._real.__exit__(*exit_arguments(error))

        return self._link.call(self._methods["exit"], seen(error), leave)

    def __enter__(self) -> Any:
        return self.enter()

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool | None:
        swallowed: bool | None = self.leave(error)
        return swallowed


@final
class _LiveAsyncManager(Live):
    """An asynchronous `_LiveManager`."""

    def enter(self) -> Any:
        return self._link.acall(self._methods["enter"], {}, lambda _: self._real.__aenter__())

    def leave(self, error: BaseException | None) -> Any:
        def leave(_: object) -> Any:
            return self._real.__aexit__(*exit_arguments(error))

        return self._link.acall(self._methods["exit"], seen(error), leave)

    async def __aenter__(self) -> Any:
        return await self.enter()

    async def __aexit__(self, _: object, error: BaseException | None, __: object) -> bool | None:
        swallowed: bool | None = await self.leave(error)
        return swallowed


def _use_manager(
    wrapper: _LiveManager | _LiveAsyncManager, key: str, arguments: Mapping[str, Any]
) -> Any:
    return wrapper.enter() if key == "enter" else wrapper.leave(arguments["exception"])


@final
class _LiveAwaitable(Live):
    """Something to await that is not itself the result of a call."""

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._link.acall(self._methods["wait"], {}, lambda _: self._real).__await__()


def _use_awaitable(wrapper: Any, _: str, __: Mapping[str, object]) -> Any:
    return wrapper
