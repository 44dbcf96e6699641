"""Live objects that cross a boundary: each has a number on the tape instead of a value.

An object *imported* from the environment (a cursor, a returned function) reaches the application as
a wrapper; an object *exported* by the application (a callback) reaches the environment as one.
Passed back, each side gets its own object again.

No side keeps an object alive that the other has dropped. While recording, the environment's
reference to a wrapper keeps an exported object alive. In a replay there is no environment: the
wrapper is held until the tape has named it for the last time.
"""

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, Final, TypeAlias, final
from weakref import ref

from vcr_gen.errors import DecodeError, EncodeError, UsageError
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.values.object_identity import NumberSet, key_of, weak_getter

__all__ = ["LIVE_WORDS", "Build", "Objects", "live_numbers", "number_of"]

LIVE_WORDS: Final = frozenset(
    {"$async_callable", "$awaitable", "$callable", "$handle", "$manager", "$stream"}
)
"""The keys of the stored forms of live objects."""

MOST_HELD: Final = 16
"""How many exported objects a replay holds before it looks up which of them the tape still names.

The tape is read once more for that, which short sessions need not pay for.
"""

Number: TypeAlias = int | str
"""The name of a live object on the tape: its number, or the name of an attached wrapper."""

Build: TypeAlias = Callable[[int, Any], Any]
"""Builds the wrapper of an object from its number and the object, if there is one."""


@dataclass(frozen=True, slots=True, eq=False)
class _Import:
    wrapper: ref[Any]
    real: Any


@dataclass(slots=True, eq=False)
class _Export:
    own: Callable[[], Any]
    """Returns the application's object; None if it was collected."""
    build: Build | None
    wrapper: ref[Any]
    has_identity: bool
    """Whether the lifetime of the object can be tracked; not for a list's `append`."""


@dataclass(frozen=True, slots=True)
class _Gone:
    """A collected object, whose entries must be removed."""

    number: Number
    keys: tuple[object, ...]
    entry: _Import | _Export | None


@final
class _Call(threading.local):
    """The exports of a thread's current call, until the tape provides their numbers."""

    def __init__(self) -> None:
        self.pending: list[tuple[Any, Build]] = []
        self.negatives: dict[object, int] = {}
        """The number of each of them until then, which is negative."""
        self.tentative: dict[int, int] = {}


@final
class Objects:
    """The live objects of one session and their numbers."""

    def __init__(self, *, replaying: bool) -> None:
        self._replaying = replaying
        self._next = 1
        self._imports: dict[Number, _Import] = {}
        self._exports: dict[Number, _Export] = {}
        self._numbers: dict[object, Number] = {}
        self._held: dict[Number, Any] = {}
        """The wrappers that only the session itself keeps alive."""
        self._most_held: float = MOST_HELD
        self._last_mentions: Mapping[int, int] | None = None
        self._assigned = NumberSet()
        """The numbers of the tape that objects of this replay have, or had."""
        self._gone: deque[_Gone] = deque()
        self._call = _Call()
        self._lock = threading.RLock()
        self.origins: dict[Number, str] = {}
        """Where they came from, in words; nothing of handles, whose calls have names."""
        self.kinds: dict[Number, Any] = {}
        """What kind of object each exported one is."""
        self.when_exported: Callable[[], None] = lambda: None
        """Called when the application exports an object, which may be called at any time."""
        self.find_last_mentions: Callable[[], Mapping[int, int]] = dict
        """Finds the last event of the tape that names each number, in a replay."""
        self.oldest_event: Callable[[], float] = lambda: 0
        """The oldest event of the tape that has not happened yet, in a replay."""

    def attach(self, name: str, wrapper: Any, real: Any, *, inbound: bool) -> None:
        """Know a wrapper that the test attached: what gives itself back comes back as it."""
        with self._lock:
            if inbound:
                self._held[name] = wrapper
                self._exports[name] = _Export(lambda: real, None, ref(wrapper), True)
                self._numbers[key_of(real)] = self._numbers[key_of(wrapper)] = name
            else:
                self._import(name, wrapper, real)

    def bring_in(self, real: Any, build: Build) -> Any:
        """The application's object for one that the environment hands over."""
        with self._lock:
            self._forget_gone()
            number = self._numbers.get(key_of(real))
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
                raise DecodeError(path="$", expected="an attached wrapper", got=repr(number))
            self._forget_gone()
            self._next = max(self._next, number + 1)
            self._assigned.add(number)
            return self._import(number, build(number, None), None)

    def hand_out(self, own: Any, build: Build) -> Any:
        """The environment's object for one of the application: a wrapper, or its own object."""
        with self._lock:
            self._forget_gone()
            number = self._numbers.get(key_of(own))
            if number is None:
                return self._export(self._next, own, build)
            if number in self._imports:
                return self._imports[number].real
            return self._wrapper_of(number)

    def number(self, value: Any, build: Build | None = None) -> Number:
        """The number of a live object; `build` exports one that has none yet.

        In a replay, the tape says which number a newly exported object has: until `agree` has
        settled it, it has a negative one.
        """
        with self._lock:
            self._forget_gone()
            key = key_of(value)
            number = self._numbers.get(key)
            if number is not None:
                self.check_real(number, "$")
                return number
            if build is None:
                raise EncodeError(path="$", expected="an object of this session", got=repr(value))
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
            if recorded in self._assigned or recorded in tentative.values():
                return False
            if actual >= 0 and self._has_identity(actual):
                return False
            tentative[actual] = recorded
            return True

    def settle(self) -> None:
        """The call that exported something is the recorded one: its objects have its numbers."""
        call = self._call
        with self._lock:
            for actual, number in call.tentative.items():
                if actual < 0:
                    own, build = call.pending[-actual - 1]
                    self._export(number, own, build)
                elif (export := self._exports.get(actual)) is not None and export.build:
                    self._export(number, export.own(), export.build)
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
            return None if export is None or export.own() is None else self._wrapper_of(number)

    def origin_of(self, on: str) -> str:
        """Where the object came from that calls name as `#3`, in words, if that is known."""
        return self.origins.get(int(on[1:]), "") if on[1:].isdigit() else ""

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
        """What follows is recorded: new exports are numbered here, and the environment holds them.

        It has none of those that the tape had.
        """
        with self._lock:
            self._replaying = False
            self._held = {name: each for name, each in self._held.items() if isinstance(name, str)}

    def _known(self, number: Number) -> Any:
        """The application's object of a number; None if there is none, or it was collected."""
        export = self._exports.get(number)
        if export is not None:
            return export.own()
        known = self._imports.get(number)
        return None if known is None else known.wrapper()

    def _has_identity(self, number: Number) -> bool:
        export = self._exports.get(number)
        return export is None or export.has_identity

    def _wrapper_of(self, number: Number) -> Any:
        """The environment's wrapper of an exported object, built again if it was dropped."""
        export = self._exports[number]
        wrapper = export.wrapper()
        if wrapper is None:
            assert export.build is not None  # an attached wrapper is held
            assert isinstance(number, int)
            self._forget_gone()
            wrapper = export.build(number, export.own())
            self._follow_wrapper(number, export, wrapper)
        return wrapper

    def _export(self, number: int, own: Any, build: Build) -> Any:
        """Number an object of the application, and wrap it."""
        wrapper = build(number, own)
        self._next = max(self._next, number + 1)
        key = key_of(own)
        export = _Export(lambda: own, build, ref(wrapper), False)
        getter = weak_getter(own, lambda _: self._lose(_Gone(number, (key,), export)))
        if getter is not None:
            export.own, export.has_identity = getter, True
        self._exports[number] = export
        self._numbers[key] = number
        self._follow_wrapper(number, export, wrapper)
        if self._replaying:
            self._assigned.add(number)
            self._hold(number, wrapper)
        self.when_exported()
        return wrapper

    def _follow_wrapper(self, number: Number, export: _Export, wrapper: Any) -> None:
        """Know a wrapper until the environment drops it.

        An object that cannot be followed itself is forgotten with its wrapper.
        """
        keys = [key_of(wrapper)]
        if not export.has_identity:
            keys.append(key_of(export.own()))
        gone = _Gone(number, tuple(keys), None if export.has_identity else export)
        export.wrapper = ref(wrapper, lambda _: self._lose(gone))
        self._numbers[keys[0]] = number

    def _import(self, number: Number, wrapper: Any, real: Any) -> Any:
        keys = (key_of(wrapper),) if real is None else (key_of(wrapper), key_of(real))

        def lose(_: object) -> None:
            self._lose(_Gone(number, keys, entry))

        entry = self._imports[number] = _Import(ref(wrapper, lose), real)
        for key in keys:
            self._numbers[key] = number
        return wrapper

    def _hold(self, number: int, wrapper: Any) -> None:
        """Keep an exported object in the environment's place, as long as the tape names it."""
        self._held[number] = wrapper
        if len(self._held) <= self._most_held:
            return
        if self._last_mentions is None:
            self._last_mentions = self.find_last_mentions()
        oldest = self.oldest_event()
        for held in [each for each in self._held if isinstance(each, int)]:
            if self._last_mentions.get(held, inf) < oldest:
                del self._held[held]
                self.origins.pop(held, None)
        self._most_held = max(MOST_HELD, 2 * len(self._held))

    def _lose(self, gone: _Gone) -> None:
        """Something was collected, at any moment and in any thread.

        A thread that is using the table forgets it later: waiting for that could be for ever.
        """
        self._gone.append(gone)
        if self._lock.acquire(blocking=False):
            try:
                self._forget_gone()
            finally:
                self._lock.release()

    def _forget_gone(self) -> None:
        """Remove collected objects, before another object gets the same address."""
        while self._gone:
            gone = self._gone.popleft()
            for key in gone.keys:
                if self._numbers.get(key) == gone.number:
                    del self._numbers[key]
            for table in (self._imports, self._exports):
                if gone.entry is not None and table.get(gone.number) is gone.entry:
                    del table[gone.number]
                    self.kinds.pop(gone.number, None)
                    if not self._replaying:  # messages about what is left of a tape name them
                        self.origins.pop(gone.number, None)


def live_numbers(value: Plain) -> Iterator[int]:
    """The numbers of the live objects in a stored value."""
    if isinstance(value, list):
        for item in value:
            yield from live_numbers(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in LIVE_WORDS and type(item) is int:
                yield item
            else:
                yield from live_numbers(item)


def number_of(plain: Plain, words: Collection[str]) -> tuple[str, Number]:
    """The word and the number in the stored form of a live object."""
    if isinstance(plain, dict) and len(plain) == 1:
        [(word, number)] = plain.items()
        if word in words and (type(number) is int or type(number) is str):
            return word, number
    expected = " or ".join(f"{{{word}: number}}" for word in words)
    raise DecodeError(path="$", expected=expected, got=repr(plain)[:80])
