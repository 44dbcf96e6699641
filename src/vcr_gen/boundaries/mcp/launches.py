"""Several launches of one command: where each is recorded, and which recording it is served.

Some clients start a server twice: a probe, with nothing but a handshake, and then the session.
"""

import os
from collections.abc import Iterator
from itertools import count, takewhile
from pathlib import Path
from typing import Any, Final, final

from vcr_gen import Cassette, CassetteError, Tape, TapeEvent
from vcr_gen.boundaries.mcp.rpc_messages import Message, compared_message
from vcr_gen.errors import CassetteBusyError

_HANDSHAKE: Final = frozenset({"initialize", "ping", "server/discover"})
"""The requests of a probe."""


@final
class Launch:
    """A launch that is being recorded.

    A launch beside another one gets a cassette of its own. A probe does not replace a session.
    """

    def __init__(self, path: Path, record_with: str) -> None:
        self._path = path
        self._asked: set[str] = set()
        self.cassette = self._free(record_with)

    def settle(self) -> None:
        """Give the cassette its name, now that the session is known."""
        is_probe = self._asked <= _HANDSHAKE
        mine, is_main = self.cassette.path, self.cassette.path == self._path
        if is_probe and (not is_main or _is_probe(mine) is False):
            self.cassette.rename(_probe(self._path).name)
        elif not is_probe and _is_probe(self._path):
            os.replace(self._path, _probe(self._path))
            self.cassette.rename(self._path.name)

    def _free(self, record_with: str) -> Cassette:
        for path in _names(self._path):
            try:
                return Cassette(path, "all", before_record=self._note, record_with=record_with)
            except CassetteBusyError:
                continue
        raise AssertionError("there is always another name")

    def _note(self, event: TapeEvent) -> Any:
        if (event.boundary, event.method, event.kind) == ("server", "request", "call"):
            value: Any = event.value
            self._asked.add(value["message"]["method"])
        return event.value


def has_several_launches(path: Path) -> bool:
    """Whether more than one launch was recorded."""
    return len(_recorded(path)) > 1


def served_path(path: Path, first: dict[str, Any]) -> Path:
    """The recording of the launch whose first request agrees best with that of a client."""
    asked = compared_message(Message(first.get("method", ""), first.get("params") or {}))
    found = {each: _first_request(each) for each in _recorded(path)}
    equal = [each for each, request in found.items() if request == asked]
    alike = [
        each
        for each, request in found.items()
        if request is not None and request["method"] == asked["method"]
    ]
    return next(iter((*equal, *alike, path)))


def _names(path: Path) -> Iterator[Path]:
    """The names for launches beside each other: `search.yaml`, `search.2.yaml`, and so on."""
    yield path
    for number in count(2):
        yield path.with_stem(f"{path.stem}.{number}")


def _probe(path: Path) -> Path:
    return path.with_stem(f"{path.stem}.probe")


def _recorded(path: Path) -> list[Path]:
    numbered = list(takewhile(Path.exists, _names(path)))
    return [*numbered, probe] if (probe := _probe(path)).exists() else numbered


def _is_probe(path: Path) -> bool | None:
    """Whether the client only shook hands; None if there is no such cassette."""
    try:
        return all(request["method"] in _HANDSHAKE for request in _requests(path))
    except CassetteError:
        return None


def _first_request(path: Path) -> dict[str, Any] | None:
    return next(_requests(path), None)


def _requests(path: Path) -> Iterator[dict[str, Any]]:
    """The requests of the client in their compared form, in the order of the answers."""
    with Tape(path) as tape:
        for call in tape.calls():
            if (call.boundary, call.method) == ("server", "request"):
                message: Any = call.arguments["message"]
                yield compared_message(Message(message["method"], message.get("params") or {}))
