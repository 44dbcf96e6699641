"""How results and arguments cross a boundary: as one value, item by item, or when awaited."""

import sys
import types
import typing
from collections import abc
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from enum import Enum
from typing import Any

from vcr_gen.boundary import Secret
from vcr_gen.runtime.codec.annotations import union_of
from vcr_gen.runtime.codec.markers import Given


class Kind(Enum):
    """The ways a call's result arrives."""

    VALUE = "value"
    STREAM = "stream"
    ITERABLE = "iterable"
    """A stream or an iterable value, depending on the object."""
    ASYNC_STREAM = "async stream"
    AWAITABLE = "awaitable"


@dataclass(frozen=True, slots=True)
class Shape:
    """The kind of a result, and the types of its values."""

    kind: Kind
    value: object
    """The type of the value, the item or the awaited result."""
    sent: object = Any
    """The type of values sent into a generator."""
    returned: object = Any
    """The type of a generator's return value."""


_STREAMS = {
    abc.Iterator: Kind.STREAM,
    abc.Generator: Kind.STREAM,
    types.GeneratorType: Kind.STREAM,
    abc.Iterable: Kind.ITERABLE,
    abc.AsyncIterator: Kind.ASYNC_STREAM,
    abc.AsyncGenerator: Kind.ASYNC_STREAM,
    abc.AsyncIterable: Kind.ASYNC_STREAM,
    types.AsyncGeneratorType: Kind.ASYNC_STREAM,
}


def shape_of(annotation: object) -> Shape:
    """The shape that a declared result type asks for."""
    bare = strip(annotation)
    origin = typing.get_origin(bare) or bare
    arguments = typing.get_args(bare)
    if isinstance(origin, type):
        if origin in _STREAMS:
            return Shape(
                _STREAMS[origin],
                _nth(arguments, 0),
                sent=_nth(arguments, 1),
                returned=_nth(arguments, 2),
            )
        if origin is abc.Awaitable or is_future(origin):
            return Shape(Kind.AWAITABLE, _nth(arguments, 0))
        if origin is abc.Coroutine:
            return Shape(Kind.AWAITABLE, _nth(arguments, 2))
    return Shape(Kind.VALUE, annotation)


def is_future(origin: object) -> bool:
    """Whether a type is one of asyncio's futures: only a program that has asyncio has one."""
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and origin in (asyncio.Future, asyncio.Task)


def awaitable_of(declared: object, begin: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """An object of the declared awaitable type for the outcome of `begin`.

    A future runs by itself, and can be awaited repeatedly; any other awaitable is a coroutine.
    """
    bare = strip(declared)
    if not is_future(typing.get_origin(bare) or bare):
        return begin()
    from asyncio import ensure_future

    return ensure_future(begin())


def given_type(annotation: object) -> object:
    """The type of an argument: an `Iterable` may be a value, or an iterator for the taker to read.

    As a value it would be read here, and be empty for the one that it was given to. A secret one is
    still refused: the items of a stream are stored one by one.
    """
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        inner, *words = arguments
        secret = any(word is Secret for word in words)
        return annotation if secret else typing.Annotated[(given_type(inner), *words)]
    if origin in (typing.Union, types.UnionType):
        return union_of(tuple(map(given_type, arguments)))
    if abc.Iterable in (origin, annotation):
        stream = Given(types.GenericAlias(abc.Iterator, (_nth(arguments, 0),)))
        return typing.Annotated[annotation, stream]
    value = strip(annotation)
    return annotation if value is annotation else given_type(value)


def strip(annotation: object) -> object:
    """The annotation without aliases and markers around it."""
    while True:
        if typing.get_origin(annotation) is typing.Annotated:
            annotation = typing.get_args(annotation)[0]
        elif hasattr(annotation, "__value__") and type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__
        else:
            return annotation


def _nth(arguments: tuple[object, ...], index: int) -> object:
    return arguments[index] if index < len(arguments) else Any
