"""Finding recorded calls by what they are, in whatever order they come."""

import json
from collections import deque
from collections.abc import Mapping
from typing import TypeAlias, final

from vcr_gen.runtime.events import Start
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.window import Slot, Window

__all__ = ["Lanes"]

_Key: TypeAlias = "tuple[str, str, str]"


@final
class Lanes:
    """An index of the recorded calls that were read and not made yet."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._seen = 0
        self._equal: dict[_Key, deque[Slot]] = {}
        self._alike: dict[tuple[str, str], deque[Slot]] = {}

    def equal(self, of: str, on: str, arguments: Mapping[str, Plain]) -> Slot | None:
        """The first recorded call that equals this one."""
        key = (of, on, _text(arguments))
        while True:
            queue = self._equal.get(key)
            while queue and queue[0].done:
                queue.popleft()
            if queue:
                return queue[0]
            if not self._read_on():
                return None

    def alike(self, of: str, on: str) -> list[Slot]:
        """All recorded calls of the method that were not made yet, to the end of the tape."""
        while self._read_on():
            pass
        queue = self._alike.get((of, on), deque())
        while queue and queue[0].done:
            queue.popleft()
        return [slot for slot in queue if not slot.done]

    def _read_on(self) -> bool:
        """Index what was read since; read one event more when there is nothing."""
        fresh = self._window.read_since(self._seen)
        for slot in fresh:
            self._seen = slot.index
            event = slot.event
            if isinstance(event, Start) and not event.inbound:
                key = (event.of, event.on, _text(event.arguments))
                self._equal.setdefault(key, deque()).append(slot)
                self._alike.setdefault((event.of, event.on), deque()).append(slot)
        return bool(fresh)


def _text(arguments: Mapping[str, Plain]) -> str:
    return json.dumps(arguments, sort_keys=True)
