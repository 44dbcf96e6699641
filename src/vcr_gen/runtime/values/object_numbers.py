"""Live objects that cross a boundary: each has a number on the tape instead of a value.

An object *imported* from the environment (a cursor, a returned function) reaches the application as
a wrapper; an object *exported* by the application (a callback) reaches the environment as one.
Passed back, each side gets its own object again.

An exported object is kept until the session ends: the environment may use it at any time. An
imported one goes when the application drops its wrapper, so that a connection returns to its pool.
"""

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import BuiltinMethodType, MethodType
from typing import Any, NamedTuple, TypeAlias, final
from weakref import ref

from vcr_gen.errors import UsageError
from vcr_gen.runtime.codec.fault import Fault
from vcr_gen.runtime.plain import Plain

Number: TypeAlias = int | str
"""The name of a live object on the tape: its number, or the name of an attached wrapper."""

Build: TypeAlias = Callable[[int, Any], Any]
"""Builds the wrapper of an object from its number and the object, if there is one."""


@dataclass(frozen=True, slots=True, eq=False)
class _Import:
    number: Number
    wrapper: ref[Any]
    real: Any
    keys: tuple[object, ...]


class _Export(NamedTuple):
    own: Any
    wrapper: Any


@final
class _Call(threading.local):
    """The exports of a thread's current call, until the tape provides their numbers."""

    def __init__(self) -> None:
        self.pending: list[tuple[Any, Build]] = []
        self.negatives: dict[object, int] = {}
        """The number of each of them until then, which is negative."""
        self.tentative: dict[int, int] = {}
        self.repeats = False
        """Whether it repeats a recorded call: its exports take the places of the former ones."""


@final
class Objects:
    """The live objects of one session and their numbers."""

    def __init__(self, *, replaying: bool) -> None:
        self._replaying = replaying
        self._next = 1
        self._imports: dict[Number, _Import] = {}
        self._exports: dict[Number, _Export] = {}
        self._numbers: dict[object, Number] = {}
        self._assigned: set[int] = set()
        """The numbers of the tape that objects of this replay have, or had."""
        self._gone: deque[_Import] = deque()
        self._call = _Call()
        self._lock = threading.RLock()
        self.origins: dict[Number, str] = {}
        """Where they came from, in words; nothing of handles, whose calls have names."""
        self.kinds: dict[Number, Any] = {}
        """The kind of each exported object."""
        self.when_exported: Callable[[], None] = lambda: None
        """Called when the application exports an object, which may be called at any time."""

    def attach(self, name: str, wrapper: Any, real: Any, *, inbound: bool) -> None:
        """Know a wrapper that the test attached: what gives itself back comes back as it."""
        with self._lock:
            if inbound:
                self._exports[name] = _Export(real, wrapper)
                self._numbers[_key_of(real)] = self._numbers[_key_of(wrapper)] = name
            else:
                self._import(name, wrapper, real)

    def bring_in(self, real: Any, build: Build) -> Any:
        """The application's object for one that the environment hands over."""
        with self._lock:
            self._forget_gone()
            number = self._numbers.get(_key_of(real))
            if number is not None:
                known = self._known(number)
                if known is not None:
                    return known
                self._forget_gone()  # collected just now, in another thread
            number = self._next
            self._next += 1
            return self._import(number, build(number, real), real)

    def recall(self, number: Number, build: Build) -> Any:
        """The application's object for a recorded number."""
        with self._lock:
            self._forget_gone()
            known = self._known(number)
            if known is not None:
                return known
            if isinstance(number, str):
                raise Fault("an attached wrapper", repr(number))
            self._forget_gone()
            self._next = max(self._next, number + 1)
            self._assigned.add(number)
            return self._import(number, build(number, None), None)

    def hand_out(self, own: Any, build: Build) -> Any:
        """The environment's object for one of the application: a wrapper, or its own object."""
        with self._lock:
            self._forget_gone()
            number = self._numbers.get(_key_of(own))
            if number is None:
                return self._export(self._next, own, build)
            if number in self._imports:
                return self._imports[number].real
            return self._exports[number].wrapper

    def number(self, value: Any, build: Build | None = None) -> Number:
        """The number of a live object; `build` exports a new one.

        In a replay, the tape says which number a newly exported object has: until `agree` has
        settled it, it has a negative one.
        """
        with self._lock:
            self._forget_gone()
            key = _key_of(value)
            number = self._numbers.get(key)
            if number is not None:
                self.check_real(number, "$")
                return number
            if build is None:
                raise Fault("an object of this session", repr(value))
            if not self._replaying:
                number = self._next
                self._export(number, value, build)
                return number
            call = self._call
            if key not in call.negatives:
                call.pending.append((value, build))
                call.negatives[key] = -len(call.pending)
            return call.negatives[key]

    def agree(self, recorded: Number, actual: Number) -> bool:
        """Whether a live number matches the recorded one, one to one."""
        if recorded == actual or isinstance(recorded, str) or isinstance(actual, str):
            return recorded == actual
        tentative = self._call.tentative
        with self._lock:
            if actual in tentative:
                return tentative[actual] == recorded
            is_taken = recorded in self._assigned and not self._call.repeats
            if actual >= 0 or is_taken or recorded in tentative.values():
                return False
            tentative[actual] = recorded
            return True

    @contextmanager
    def repeating(self) -> Iterator[None]:
        """Compare a call that repeats a recorded one: it exports different objects."""
        self._call.repeats = True
        try:
            yield
        finally:
            self._call.repeats = False

    def settle(self) -> None:
        """The call that exported something is the recorded one: its objects have its numbers."""
        call = self._call
        with self._lock:
            for actual, number in call.tentative.items():
                own, build = call.pending[-actual - 1]
                self._export(number, own, build)
            call.tentative.clear()
            call.pending.clear()
            call.negatives.clear()

    def retract(self) -> None:
        """Forget the numbers of a call that did not match."""
        self._call.tentative.clear()

    def exported(self, number: int) -> Any:
        """The wrapper around an object that the application exported, or None."""
        with self._lock:
            export = self._exports.get(number)
            return None if export is None else export.wrapper

    def check_real(self, number: Number, path: str) -> None:
        """Refuse an object that is only on the tape, where a real one is needed to record on."""
        known = self._imports.get(number)
        if known is not None and known.real is None and not self._replaying:
            raise UsageError(
                f"{path}: expected an object of the real environment; got #{number}, which only "
                "the recorded part of the tape has\n\n"
                "hint: ask the environment for it again, or record the whole session (mode `all`)"
            )

    def record_on(self) -> None:
        """What follows is recorded: new exports are numbered here."""
        with self._lock:
            self._replaying = False

    def _known(self, number: Number) -> Any:
        """The application's object of a number; None if there is none, or it was collected."""
        if number in self._exports:
            return self._exports[number].own
        known = self._imports.get(number)
        return None if known is None else known.wrapper()

    def _export(self, number: int, own: Any, build: Build) -> Any:
        """Number an object of the application, and wrap it."""
        wrapper = build(number, own)
        self._next = max(self._next, number + 1)
        for former in self._exports.get(number, ()):
            self._numbers.pop(_key_of(former), None)
        self._exports[number] = _Export(own, wrapper)
        self._numbers[_key_of(own)] = self._numbers[_key_of(wrapper)] = number
        self._assigned.add(number)
        self.when_exported()
        return wrapper

    def _import(self, number: Number, wrapper: Any, real: Any) -> Any:
        keys = tuple(_key_of(each) for each in (wrapper, real) if each is not None)
        entry = _Import(number, ref(wrapper, lambda _: self._lose(entry)), real, keys)
        self._imports[number] = entry
        for key in keys:
            self._numbers[key] = number
        return wrapper

    def _lose(self, gone: _Import) -> None:
        """A wrapper was collected, at any moment and in any thread.

        If a thread is using the table, that thread removes it later: waiting here might never end.
        """
        self._gone.append(gone)
        if self._lock.acquire(blocking=False):
            try:
                self._forget_gone()
            finally:
                self._lock.release()

    def _forget_gone(self) -> None:
        """Remove collected wrappers, before another object gets the same address."""
        while self._gone:
            gone = self._gone.popleft()
            for key in gone.keys:
                if self._numbers.get(key) == gone.number:
                    del self._numbers[key]
            if self._imports.get(gone.number) is gone:
                del self._imports[gone.number]
                if not self._replaying:  # messages about what is left of a tape name them
                    self.origins.pop(gone.number, None)


def _key_of(value: object) -> object:
    """The identity of an object: each access to a method makes a new bound method."""
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
    raise Fault(expected, repr(plain)[:80])
