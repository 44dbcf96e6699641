"""Reads server-sent events from the pieces of a stream."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, final

_END_OF_LINE: Final = re.compile(rb"\r\n|\n|\r(?!$)")
"""A carriage return at the end of a piece may have its newline in the next one."""


@dataclass(frozen=True, slots=True)
class Event:
    """A server-sent event."""

    kind: str
    data: bytes
    identity: str


@final
class EventBuffer:
    """Finds the events that pieces of a stream complete."""

    def __init__(self) -> None:
        self._rest = b""
        self._fields: dict[bytes, list[bytes]] = {}

    def events(self, piece: bytes) -> Iterator[Event]:
        """The events that a piece completes."""
        *lines, self._rest = _END_OF_LINE.split(self._rest + piece)
        for line in lines:
            if line:
                name, _, value = line.partition(b":")
                self._fields.setdefault(name, []).append(value.removeprefix(b" "))
            elif self._fields:
                yield _event(self._fields)
                self._fields = {}


def _event(fields: dict[bytes, list[bytes]]) -> Event:
    def last(name: bytes, otherwise: bytes) -> str:
        return fields.get(name, [otherwise])[-1].decode(errors="replace")

    return Event(last(b"event", b"message"), b"\n".join(fields.get(b"data", [])), last(b"id", b""))
