"""Rebuild an annotation with some of its parts replaced."""

from __future__ import annotations

import functools
import operator
import types
import typing
from collections import abc
from collections.abc import Callable
from dataclasses import InitVar
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
)

Leaf = Callable[[object], object]


def rewrite(annotation: object, leaf: Leaf) -> object:
    """The annotation with every part that has no parts of its own given to `leaf`.

    The values in `Literal` and the words in `Annotated` are left as they are.
    """
    if isinstance(annotation, list):  # the parameters of a Callable
        parts = [rewrite(part, leaf) for part in annotation]
        return annotation if all(map(operator.is_, parts, annotation)) else parts
    origin = get_origin(annotation)
    if origin is None or origin is Literal:
        return leaf(annotation)
    args = get_args(annotation)
    if origin is Annotated:
        inner = rewrite(args[0], leaf)
        return annotation if inner is args[0] else _annotated(inner, args[1:])
    if origin is abc.Callable and args and not isinstance(args[0], list):
        args = (..., *args[1:])  # a ParamSpec: any parameters
    new = tuple(rewrite(arg, leaf) for arg in args)
    if all(map(operator.is_, new, args)):
        return annotation
    if origin is Union or origin is types.UnionType:
        return union_of(new)
    return _rebuild(annotation, origin, new)


def union_of(members: tuple[object, ...]) -> object:
    """The union of annotations."""
    try:
        return operator.getitem(typing.cast("Any", Union), members)
    except TypeError:  # words in Annotated need not be hashable; `|` does not ask
        return functools.reduce(operator.or_, typing.cast("Any", members))


def _annotated(inner: object, words: tuple[object, ...]) -> object:
    return Annotated[(inner, *words)]


def _rebuild(annotation: object, origin: object, args: tuple[object, ...]) -> object:
    if origin is abc.Callable:
        spelled = abc.Callable if isinstance(annotation, types.GenericAlias) else typing.Callable
        return operator.getitem(typing.cast("Any", spelled), args)
    if isinstance(annotation, types.GenericAlias):
        rebuilt: object = types.GenericAlias(typing.cast("type", origin), args)
        if getattr(annotation, "__unpacked__", False):
            return next(iter(typing.cast("Any", rebuilt)))
        return rebuilt
    copy_with = getattr(annotation, "copy_with", None)
    if copy_with is not None:
        made: object = copy_with(_flat(args))
        return made
    return operator.getitem(typing.cast("Any", origin), args if len(args) != 1 else args[0])


def _flat(args: tuple[object, ...]) -> tuple[object, ...]:
    flat: list[object] = []
    for arg in args:
        flat += arg if isinstance(arg, list) else [arg]
    return tuple(flat)


QUALIFIERS = (Required, NotRequired, Final, ClassVar)


def strip_qualifiers(annotation: object) -> object:
    """The annotation without `Required`, `NotRequired`, `ReadOnly`, `Final` and their like."""
    while True:
        if isinstance(annotation, InitVar):
            annotation = annotation.type
            continue
        origin = get_origin(annotation)
        if origin is Annotated:
            inner, *words = get_args(annotation)
            stripped = strip_qualifiers(inner)
            return annotation if stripped is inner else _annotated(stripped, tuple(words))
        if any(
            annotation is each for each in QUALIFIERS
        ):  # a bare `Final` or `ClassVar` says nothing of the type
            return Any
        if origin not in QUALIFIERS and getattr(origin, "_name", "") != "ReadOnly":
            return annotation
        annotation = get_args(annotation)[0]


def strip_annotated(annotation: object) -> object:
    """The annotation without the words around it."""
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
