"""Live objects that cross a boundary: each has a number on the tape instead of a value.

An object *imported* from the environment (a cursor, a returned function) reaches the application as
a wrapper; an object *exported* by the application (a callback) reaches the environment as one.
Passed back, each side gets its own object again.
"""

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from types import BuiltinMethodType, MethodType
from typing import Any, Final, TypeAlias, final
from weakref import ref

from vcr_gen.errors import DecodeError, EncodeError
from vcr_gen.runtime.plain import Plain

__all__ = ["LIVE_WORDS", "Build", "Objects", "number_of"]

LIVE_WORDS: Final = frozenset(
    {"$async_callable", "$awaitable", "$callable", "$handle", "$manager", "$stream"}
)
"""What a live object's stored form can be called: the one key beside its number."""

Number: TypeAlias = int | str
"""What the tape calls a live object: its number, or the name of a wrapper that was attached."""

Build: TypeAlias = Callable[[int, Any], Any]
"""Makes the wrapper for an object: of its number, and the object itself where there is one."""


@dataclass(frozen=True, slots=True)
class _Import:
    wrapper: ref[Any]
    real: Any


@dataclass(frozen=True, slots=True)
class _Export:
    own: Any
    wrapper: Any


@final
class _Call(threading.local):
    """What the call that a thread is making exports, until the tape has said its numbers."""

    def __init__(self) -> None:
        self.pending: list[tuple[Any, Build]] = []
        self.tentative: dict[int, Number] = {}


@final
class Objects:
    """The live objects of one session and their numbers."""

    def __init__(self, *, replaying: bool) -> None:
        self._replaying = replaying
        self._next = 1
        self._imports: dict[Number, _Import] = {}
        self._exports: dict[Number, _Export] = {}
        self._numbers: dict[object, Number] = {}
        self._call = _Call()
        self._lock = threading.RLock()
        self.origins: dict[Number, str] = {}
        """Where they came from, in words; nothing of handles, whose calls have names."""
        self.when_exported: Callable[[], None] = lambda: None
        """Is told that the application has exported something, which may be called any time."""

    def attach(self, name: str, wrapper: Any, real: Any, *, inbound: bool) -> None:
        """Know a wrapper that the test attached: what gives itself back comes back as it."""
        with self._lock:
            if inbound:
                self._exports[name] = _Export(real, wrapper)
                self._numbers[_key(real)] = self._numbers[_key(wrapper)] = name
            else:
                self._import(name, wrapper, real)

    def bring_in(self, real: Any, build: Build) -> Any:
        """The application's object for one that the environment hands over."""
        with self._lock:
            number = self._numbers.get(_key(real))
            if number is None:
                number = self._next
                self._next += 1
                return self._import(number, build(number, real), real)
            if number in self._exports:
                return self._exports[number].own
            return self._imports[number].wrapper()

    def recall(self, number: Number, build: Build) -> Any:
        """The application's object for a recorded number."""
        with self._lock:
            if number in self._exports:
                return self._exports[number].own
            known = self._imports[number].wrapper() if number in self._imports else None
            if known is not None:
                return known
            if isinstance(number, str):
                raise DecodeError(path="$", expected="an attached wrapper", got=repr(number))
            self._next = max(self._next, number + 1)
            return self._import(number, build(number, None), None)

    def hand_out(self, own: Any, build: Build) -> Any:
        """What the environment gets for an object of the application: a wrapper, or its own."""
        with self._lock:
            number = self._numbers.get(_key(own))
            if number is None:
                number = self._export(self._next, own, build)
            if number in self._imports:
                return self._imports[number].real
            return self._exports[number].wrapper

    def number(self, value: Any, build: Build | None = None) -> Number:
        """The number of a live object; `build` exports one that has none yet.

        In a replay, the tape says which number a newly exported object has: until `agree` has
        settled it, it has a negative one.
        """
        with self._lock:
            number = self._numbers.get(_key(value))
            if number is not None:
                self.check_real(number, "$")
                return number
            if build is None:
                raise EncodeError(path="$", expected="an object of this session", got=repr(value))
            if not self._replaying:
                return self._export(self._next, value, build)
            self._call.pending.append((value, build))
            return -len(self._call.pending)

    def agree(self, recorded: Number, actual: Number) -> bool:
        """Whether a live number stands for the recorded one."""
        if isinstance(actual, str) or actual >= 0:
            return recorded == actual
        with self._lock:
            if recorded in self._exports or recorded in self._imports:
                return False
            self._call.tentative[actual] = recorded
            return True

    def settle(self) -> None:
        """The call that exported something is the recorded one: its objects have its numbers."""
        with self._lock:
            for negative, number in self._call.tentative.items():
                self._export(number, *self._call.pending[-negative - 1])
            self._call.tentative.clear()
            self._call.pending.clear()

    def retract(self) -> None:
        """The call was compared with another recorded one."""
        self._call.tentative.clear()

    def exported(self, number: int) -> Any:
        """The wrapper around an object that the application exported, or None."""
        export = self._exports.get(number)
        return None if export is None else export.wrapper

    def origin_of(self, on: str) -> str:
        """Where the object came from that calls name as `#3`, in words, if that is known."""
        return self.origins.get(int(on[1:]), "") if on[1:].isdigit() else ""

    def check_real(self, number: Number, path: str) -> None:
        """Refuse an object that is only on the tape, where a real one is needed to record on."""
        known = self._imports.get(number)
        if known is not None and known.real is None and not self._replaying:
            raise EncodeError(
                path=path,
                expected="an object of the real environment",
                got=f"#{number}, which only the recorded part of the tape has",
                hint="ask the environment for it again, or record the whole session (mode `all`)",
            )

    def record_on(self) -> None:
        """What follows is recorded: new exports are numbered here."""
        self._replaying = False

    def _export(self, number: Number, own: Any, build: Build) -> Number:
        if isinstance(number, str):
            raise DecodeError(path="$", expected="an attached wrapper", got=repr(number))
        wrapper = build(number, own)
        self._next = max(self._next, number + 1)
        self._exports[number] = _Export(own, wrapper)
        self._numbers[_key(own)] = self._numbers[_key(wrapper)] = number
        self.when_exported()
        return number

    def _import(self, number: Number, wrapper: Any, real: Any) -> Any:
        keys = [_key(wrapper)] if real is None else [_key(wrapper), _key(real)]

        def forget(_: object) -> None:  # ids may be used again once the wrapper is gone
            with self._lock:
                self._imports.pop(number, None)
                for key in keys:
                    self._numbers.pop(key, None)

        self._imports[number] = _Import(ref(wrapper, forget), real)
        for key in keys:
            self._numbers[key] = number
        return wrapper


def _key(value: object) -> object:
    """What makes two objects the same: a bound method is made anew each time it is named."""
    if isinstance(value, MethodType):  # asked for its attributes, an object may answer anything
        return (id(value.__self__), value.__func__)
    if isinstance(value, BuiltinMethodType):
        return (id(value.__self__), value.__name__)
    return id(value)


def number_of(plain: Plain, words: Collection[str]) -> tuple[str, Number]:
    """The word and the number in the stored form of a live object."""
    if isinstance(plain, dict) and len(plain) == 1:
        [(word, number)] = plain.items()
        if word in words and (type(number) is int or type(number) is str):
            return word, number
    expected = " or ".join(f"{{{word}: number}}" for word in words)
    raise DecodeError(path="$", expected=expected, got=repr(plain)[:80])
