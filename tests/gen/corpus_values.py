"""Values of any declared type, made up: for calls that nobody wrote."""

import asyncio
import dataclasses
import datetime
import enum
import inspect
import pathlib
import types
import typing
from collections import abc
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from typing import Any, Final, Union

from vcr_gen.runtime.codec.annotations import Scope, resolve

DEEP: Final = 3
SCALARS: Final[dict[object, Callable[[int], object]]] = {
    Any: lambda n: f"any {n}",
    object: lambda n: f"object {n}",
    str: lambda n: f"text {n}",
    int: lambda n: n,
    float: lambda n: n + 0.5,
    bool: lambda n: n % 2 == 0,
    bytes: lambda n: b"bytes %d" % n,
    pathlib.Path: lambda n: pathlib.Path(f"folder/{n}"),
    datetime.datetime: lambda n: datetime.datetime(2024, 1, n + 1, tzinfo=datetime.UTC),
    type(None): lambda _: None,
    types.TracebackType: lambda _: None,
}
COLLECTIONS: Final[dict[object, Callable[[list[Any]], object]]] = {
    list: list, abc.Sequence: list, abc.Collection: list, abc.Iterable: list,
    set: set, frozenset: frozenset, abc.Set: frozenset,
}  # fmt: skip
MAPPINGS: Final = {dict, abc.Mapping, abc.MutableMapping}


class CannotMakeError(Exception):
    """No value of this type can be made up."""


def make(annotation: Any, n: int, depth: int = 0) -> Any:
    """The `n`th value of a type; where it is a live object, one that can be used once."""
    if depth > DEEP:
        raise CannotMakeError(annotation)
    if isinstance(annotation, typing.ForwardRef):
        annotation = resolve(annotation, Scope({}))
    origin = typing.get_origin(annotation) or annotation
    arguments = typing.get_args(annotation)
    if origin in (Union, types.UnionType):
        return _first_of(arguments, n, depth)
    if origin is typing.Literal:
        return arguments[n % len(arguments)]
    if origin in SCALARS:
        return SCALARS[origin](n)
    for made in (_collection, _live, _record):
        value = made(origin, arguments, lambda part: make(part, n, depth + 1), n)
        if value is not None:
            return value
    raise CannotMakeError(annotation)


def _first_of(members: tuple[Any, ...], n: int, depth: int) -> Any:
    for member in sorted(members, key=lambda one: one is type(None)):
        try:
            return make(member, n, depth + 1)
        except CannotMakeError:
            continue
    raise CannotMakeError(members)


def _collection(origin: Any, arguments: tuple[Any, ...], part: Callable[[Any], Any], _: int) -> Any:
    if origin is tuple:
        kinds = arguments[:1] if arguments[1:] == (...,) else arguments
        return tuple(map(part, kinds or (str,)))
    if origin in COLLECTIONS:
        return COLLECTIONS[origin]([part(arguments[0] if arguments else str)])
    if origin in MAPPINGS:
        key, value = arguments or (str, str)
        return {part(key): part(value)}
    if origin is type:
        return int
    return None


def _live(origin: Any, arguments: tuple[Any, ...], part: Callable[[Any], Any], _: int) -> Any:
    if origin is abc.Callable:
        result = arguments[1] if arguments else str
        return lambda *_, **__: part(result)
    if origin in (abc.Iterator, abc.Generator):
        return iter([part(arguments[0])])
    if origin in (abc.AsyncIterator, abc.AsyncGenerator, abc.AsyncIterable):
        return _items(part(arguments[0]))
    if origin in (abc.Awaitable, abc.Coroutine):
        return asyncio.sleep(0, part(arguments[-1]))
    if origin is AbstractContextManager:
        return _entered(part(arguments[0]))
    if origin is AbstractAsyncContextManager:
        return _entered_later(part(arguments[0]))
    return None


async def _items(value: object) -> AsyncIterator[object]:
    yield value


@contextmanager
def _entered(value: object) -> Iterator[object]:
    yield value


@asynccontextmanager
async def _entered_later(value: object) -> AsyncIterator[object]:
    yield value


def _record(origin: Any, _: tuple[Any, ...], part: Callable[[Any], Any], n: int) -> Any:
    if not inspect.isclass(origin):
        return None
    if issubclass(origin, enum.Enum):
        return list(origin)[n % len(origin)]
    if issubclass(origin, Exception):
        return _built(origin, f"error {n}")
    if dataclasses.is_dataclass(origin) or typing.is_typeddict(origin):
        try:
            hints = typing.get_type_hints(origin)
        except NameError as error:
            raise CannotMakeError(origin) from error
        return _built(origin, **{name: part(hint) for name, hint in hints.items()})
    return None


def _built(cls: Callable[..., object], *arguments: object, **options: object) -> object:
    try:
        return cls(*arguments, **options)
    except Exception as error:  # what it asks for, only it knows
        raise CannotMakeError(cls) from error
