"""Finding recorded calls by what they are, in whatever order they come."""

from collections import deque
from collections.abc import Iterator, Mapping
from typing import TypeAlias, TypeVar, final

from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import Start
from vcr_gen.runtime.tape.window import Slot, Window
from vcr_gen.runtime.values.channel import Bound

__all__ = ["Lanes"]

_K = TypeVar("_K")

_FORGET_AFTER = 1000
"""After how many events those that are done are dropped."""

_Lane: TypeAlias = tuple[str, str]
"""A method, and the object that it is called on."""


@final
class Lanes:
    """An index of the recorded calls that were read and not made yet."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._seen = 0
        self._equal: dict[tuple[_Lane, str], deque[Slot]] = {}
        self._without_key: dict[_Lane, list[Slot]] = {}
        self._alike: dict[_Lane, deque[Slot]] = {}
        self._boundaries: dict[str, deque[Slot]] = {}

    def equal(self, bound: Bound, on: str, arguments: Mapping[str, Plain]) -> Iterator[Slot]:
        """The recorded calls that equal this one wherever equality is asked for."""
        while True:
            if queue := self._equal_known(bound, on, arguments):
                yield from _from_first(queue)
                return
            if not self._read_on():
                return

    def known(self, bound: Bound, on: str, arguments: Mapping[str, Plain]) -> Iterator[Slot]:
        """The same, without reading on."""
        self._index(self._window.known_since(self._seen))
        if queue := self._equal_known(bound, on, arguments):
            yield from _from_first(queue)

    def _equal_known(self, bound: Bound, on: str, arguments: Mapping[str, Plain]) -> deque[Slot]:
        lane = (bound.method.name, on)
        for slot in self._without_key.pop(lane, ()):
            if not slot.done:
                known = (lane, bound.key(slot.start.arguments))
                self._equal.setdefault(known, deque()).append(slot)
        return _waiting(self._equal, (lane, bound.key(arguments)))

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

    def next_of(self, boundary: str) -> Slot | None:
        """The first recorded call of a boundary that was not made yet."""
        while not (queue := _waiting(self._boundaries, boundary)):
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
            if slot.index % _FORGET_AFTER == 0:
                self._forget()
            event = slot.event
            if isinstance(event, Start) and not event.inbound:
                lane = (event.of, event.on)
                self._without_key.setdefault(lane, []).append(slot)
                self._alike.setdefault(lane, deque()).append(slot)
                boundary = event.of.partition(".")[0]
                self._boundaries.setdefault(boundary, deque()).append(slot)

    def _forget(self) -> None:
        """Drop the calls that were made, so that a long tape is not held in memory."""
        self._equal = _left(self._equal)
        self._alike = _left(self._alike)
        self._boundaries = _left(self._boundaries)


def _left(queues: Mapping[_K, deque[Slot]]) -> dict[_K, deque[Slot]]:
    left = {key: deque(slot for slot in queue if not slot.done) for key, queue in queues.items()}
    return {key: queue for key, queue in left.items() if queue}


def _waiting(queues: Mapping[_K, deque[Slot]], key: _K) -> deque[Slot]:
    """A queue that begins with a call that was not made yet; empty if there is none."""
    queue = queues.get(key)
    if queue is None:
        return deque()
    while queue and queue[0].done:
        queue.popleft()
    return queue


def _from_first(queue: deque[Slot]) -> Iterator[Slot]:
    """What is not done of a queue; only its first is looked at if that is taken."""
    yield queue[0]
    yield from [slot for slot in queue if not slot.done][1:]
