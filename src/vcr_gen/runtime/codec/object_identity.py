"""Which ordinary objects occur several times in one value, so that they come back as one object.

An object with several places is stored in full once, with a number (`$id`); its other places only
refer to it (`$same`). Most values have no such object, and no numbers. Where live parts of objects
are replaced, each object is copied once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.tags import ID, SAME
from vcr_gen.runtime.plain import Plain


class _Encoding:
    """The objects of a value that is being encoded."""

    def __init__(self) -> None:
        self._seen: dict[int, object] = {}
        self._numbers: dict[int, int] = {}
        """Of the objects with several places; they are known after the first pass."""

    @property
    def is_ambiguous(self) -> bool:
        """Whether the value must be encoded again, now that these objects are known."""
        return bool(self._numbers)

    def begin_again(self) -> None:
        """Encode the same value a second time."""
        self._seen.clear()

    def encode(self, value: object, encode: Callable[[Any], dict[str, Plain]]) -> dict[str, Plain]:
        """The plain of an object, or the reference to the place that has it."""
        if id(value) in self._seen:
            return {SAME: self._numbers.setdefault(id(value), len(self._numbers) + 1)}
        self._seen[id(value)] = value
        number = self._numbers.get(id(value))
        return encode(value) if number is None else {ID: number, **encode(value)}

    def attempt(self, encode: Callable[[Any], Plain], value: object) -> Plain:
        """Encode a value, or forget the objects in it: they have no place yet."""
        before = len(self._seen)
        try:
            return encode(value)
        except Fault:
            for met in list(self._seen)[before:]:
                del self._seen[met]
            raise


class _Decoding:
    """The numbered objects of a value that is being decoded."""

    def __init__(self) -> None:
        self._objects: dict[int, object] = {}

    def keep(self, number: Plain, value: object) -> None:
        """Remember a new object, whose attributes are still to be decoded."""
        if type(number) is not int or number in self._objects:
            raise Fault("a new number of an object", show(number)).within(f".{ID}")
        self._objects[number] = value

    def find(self, number: Plain) -> object:
        """The object that a reference means."""
        if type(number) is not int or number not in self._objects:
            raise Fault("the number of an object before it", show(number)).within(f".{SAME}")
        return self._objects[number]


class _Replacing:
    """The objects of a value whose live parts are being replaced.

    A first pass finds out whether an object has any; if so, a second one copies the objects.
    """

    def __init__(self, *, copies: bool) -> None:
        self._copies: Final = copies
        self._seen: dict[int, object] = {}
        self.is_needed = False
        """Whether an object has a live part."""

    def replace(
        self,
        value: object,
        make: Callable[[], object],
        fill: Callable[[Any, Any], bool],
    ) -> object:
        """The copy of an object; in the first pass the object itself."""
        if id(value) not in self._seen:
            copy = self._seen[id(value)] = make() if self._copies else value
            self.is_needed = fill(value, copy) or self.is_needed
        return self._seen[id(value)]


class _Current(threading.local):
    """The work of this thread on a value: nodes call each other without a parameter."""

    encoding: _Encoding | None = None
    decoding: _Decoding | None = None
    replacing: _Replacing | None = None


_current: Final = _Current()

_SINGLE: Final = frozenset({type(None), bool, int, float, str})
"""The types of values that have no parts."""


def encode_one_value(encode: Callable[[Any], Plain], value: object) -> Plain:
    """Encode a value in which objects may have several places."""
    if type(value) in _SINGLE or _current.encoding is not None:
        return encode(value)
    _current.encoding = _Encoding()
    try:
        plain = encode(value)
        if _current.encoding.is_ambiguous:
            _current.encoding.begin_again()
            plain = encode(value)
        return plain
    finally:
        _current.encoding = None


def encode_attempt(encode: Callable[[Any], Plain], value: object) -> Plain:
    """Encode a value that another node may have to store instead; raises `Fault`."""
    encoding = _current.encoding
    return encode(value) if encoding is None else encoding.attempt(encode, value)


def encode_apart(encode: Callable[[Any], Plain], value: object) -> Plain:
    """Encode a value whose plain is stored nowhere: no other place may refer to objects in it."""
    before, _current.encoding = _current.encoding, None
    try:
        return encode(value)
    finally:
        _current.encoding = before


def decode_one_value(decode: Callable[[Any], object], plain: Plain) -> object:
    """Decode a value in which objects may have several places."""
    if type(plain) in _SINGLE or _current.decoding is not None:
        return decode(plain)
    _current.decoding = _Decoding()
    try:
        return decode(plain)
    finally:
        _current.decoding = None


def replace_in_one_value(replace: Callable[[Any], object], value: object) -> object:
    """Replace the live parts of a value in which objects may have several places."""
    if _current.replacing is not None:
        return replace(value)
    _current.replacing = _Replacing(copies=False)
    try:
        first = replace(value)
        if not _current.replacing.is_needed:
            return first
        _current.replacing = _Replacing(copies=True)
        return replace(value)
    finally:
        _current.replacing = None


def encode_object(value: object, encode: Callable[[Any], dict[str, Plain]]) -> Plain:
    """The plain of an object, or a reference to it if the value has it at an earlier place."""

    def encode_here(value: object) -> Plain:
        assert _current.encoding is not None
        return _current.encoding.encode(value, encode)

    return encode_one_value(encode_here, value)


def decode_object(
    plain: dict[str, Plain],
    make: Callable[[], object],
    fill: Callable[[Any, dict[str, Plain]], None],
) -> object:
    """The object of a plain, which `fill` gives its attributes; or the one that it refers to."""

    def decode_here(plain: dict[str, Plain]) -> object:
        assert _current.decoding is not None
        if len(plain) == 1 and SAME in plain:
            return _current.decoding.find(plain[SAME])
        made = make()
        if ID in plain:
            _current.decoding.keep(plain[ID], made)
        fill(made, {name: each for name, each in plain.items() if name != ID})
        return made

    return decode_one_value(decode_here, plain)


def replace_in_object(
    value: object, make: Callable[[], object], fill: Callable[[Any, Any], bool]
) -> object:
    """The object, or a copy of it with its live parts replaced.

    `fill` gives a copy, which may be the object itself, its attributes. It tells if one is new.
    """

    def replace_here(value: object) -> object:
        assert _current.replacing is not None
        return _current.replacing.replace(value, make, fill)

    return replace_in_one_value(replace_here, value)
