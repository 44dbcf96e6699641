"""An index of recorded calls, for boundaries whose calls may come in any order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import inf
from typing import TypeAlias, TypeVar, final

from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import Start
from vcr_gen.runtime.tape.window import REACH, Slot, Window
from vcr_gen.runtime.values.bound_methods import Bound

_K = TypeVar("_K")

_FEW = 1000
"""So many indexed calls are kept in any case, whether they were made or not."""

_Lane: TypeAlias = tuple[str, str]
"""A method, and the object that it is called on."""


@final
class CallIndex:
    """An index of the recorded calls that were read and not made yet."""

    def __init__(self, window: Window, group_of: Callable[[Slot], str]) -> None:
        self._window = window
        self._group_of = group_of
        self._seen = 0
        self._equal: dict[tuple[_Lane, str], deque[Slot]] = {}
        self._exact: dict[tuple[_Lane, int], deque[Slot]] = {}
        """The same queues, by a hash of the arguments as they are."""
        self._without_key: dict[_Lane, list[Slot]] = {}
        self._alike: dict[_Lane, deque[Slot]] = {}
        self._groups: dict[str, deque[Slot]] = {}
        self._indexed = 0
        """The calls in the index, including those that were made since `_forget`."""
        self._most_indexed = _FEW

    def equal(self, bound: Bound, on: str, arguments: Mapping[str, Plain]) -> Iterator[Slot]:
        """The recorded calls that equal this one wherever equality is asked for."""
        lane = (bound.method.name, on)
        if queue := self._first(bound, lane, self._equal, (lane, bound.key(arguments))):
            yield from _from_first(queue)

    def known(self, bound: Bound, on: str, arguments: Mapping[str, Plain]) -> Iterator[Slot]:
        """Like `equal`, without reading on."""
        lane = (bound.method.name, on)
        if queue := self._first(bound, lane, self._equal, (lane, bound.key(arguments)), reach=0):
            yield from _from_first(queue)

    def exact(self, bound: Bound, on: str, encoded: Mapping[str, Plain]) -> Slot | None:
        """The first of the calls that equal one with these arguments: probably it has the same.

        It is not looked for far ahead: a call with a secret is nowhere on the tape as it is.
        """
        lane = (bound.method.name, on)
        image = bound.image(encoded)
        if image is None:
            return None
        queue = self._first(bound, lane, self._exact, (lane, hash(image)), reach=REACH)
        return queue[0] if queue else None

    def _first(
        self,
        bound: Bound,
        lane: _Lane,
        queues: Mapping[_K, deque[Slot]],
        key: _K,
        *,
        reach: float = inf,
    ) -> deque[Slot]:
        """The calls of a queue; reads on, within a number of events, until it has one."""
        while True:
            self._index(self._window.known_since(self._seen))
            self._add_keys(bound, lane)
            queue = _waiting(queues, key)
            if queue or not self._window.read_one(reach):
                return queue

    def _add_keys(self, bound: Bound, lane: _Lane) -> None:
        """Index the calls of a lane that were read since by their arguments."""
        for slot in self._without_key.pop(lane, ()):
            if not slot.done:
                arguments = slot.start.arguments
                queue = self._equal.setdefault((lane, bound.key(arguments)), deque())
                queue.append(slot)
                self._exact[lane, hash(bound.image(arguments))] = queue

    def alike(self, of: str, on: str) -> Iterator[Slot]:
        """All recorded calls of the method that were not made yet, to the end of the tape."""
        lane = (of, on)
        while not _waiting(self._alike, lane) and self._read_on():
            pass
        if queue := _waiting(self._alike, lane):
            yield queue[0]
        while self._read_on():
            pass
        if queue := _waiting(self._alike, lane):
            yield from list(_from_first(queue))[1:]

    def next_of(self, group: str) -> Slot | None:
        """The first recorded call that was not made yet, of those that share a strategy."""
        while not (queue := _waiting(self._groups, group)):
            if not self._read_on():
                return None
        return queue[0]

    def _read_on(self) -> bool:
        """Index what was read since; read one event more when there is nothing."""
        fresh = self._window.read_since(self._seen)
        self._index(fresh)
        return bool(fresh)

    def _index(self, fresh: list[Slot]) -> None:
        for slot in fresh:
            self._seen = slot.index
            event = slot.event
            if isinstance(event, Start) and not event.inbound:
                if self._indexed >= self._most_indexed:
                    self._forget()
                self._indexed += 1
                lane = (event.of, event.on)
                self._without_key.setdefault(lane, []).append(slot)
                self._alike.setdefault(lane, deque()).append(slot)
                self._groups.setdefault(self._group_of(slot), deque()).append(slot)

    def _forget(self) -> None:
        """Drop the calls that were made, so that a long tape is not held in memory.

        The next time comes when the index has doubled: else a call would cost more on a long tape.
        """
        for queues in (self._equal, self._alike, self._groups):
            _forget_done(queues.values())
        _drop_empty(self._equal)
        _drop_empty(self._exact)
        _drop_empty(self._alike)
        _drop_empty(self._groups)
        self._indexed = sum(map(len, self._alike.values()))
        self._most_indexed = max(_FEW, 2 * self._indexed)


def _forget_done(queues: Iterable[deque[Slot]]) -> None:
    for queue in queues:
        left = [slot for slot in queue if not slot.done]
        queue.clear()
        queue.extend(left)


def _drop_empty(queues: dict[_K, deque[Slot]]) -> None:
    for key in [key for key, queue in queues.items() if not queue]:
        del queues[key]


def _waiting(queues: Mapping[_K, deque[Slot]], key: _K) -> deque[Slot]:
    """A queue that begins with a call that was not made yet; empty if there is none."""
    queue = queues.get(key)
    if queue is None:
        return deque()
    while queue and queue[0].done:
        queue.popleft()
    return queue


def _from_first(queue: deque[Slot]) -> Iterator[Slot]:
    """The calls of a queue that are not done; stops at the first if that is taken."""
    yield queue[0]
    yield from [slot for slot in queue if not slot.done][1:]
