"""Tapes written by hand, event by event, for tests that read, compare and rewrite them."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import tape_data

HEADER: dict[str, Any] = {
    **tape_data.HEADER,
    "boundaries": {
        "Shell": {
            "direction": "outbound",
            "methods": {"run": "(command: str) -> str", "watch": "() -> Iterator[str]"},
        },
        "server": {"direction": "inbound", "methods": {"ask": "(question: str) -> str"}},
    },
}

SESSION: list[dict[str, Any]] = [
    {
        "call": 1,
        "of": "Shell.run",
        "at": 0.1,
        "args": {"command": "a"},
        "took": 0.5,
        "returned": "A",
    },
    {"call": 2, "of": "server.ask", "inbound": True, "at": 1.0, "args": {"question": "q"}},
    {
        "call": 3,
        "of": "Shell.watch",
        "strand": "@2",
        "within": 2,
        "at": 1.1,
    },
    {"item": 3, "at": 1.2, "value": "one"},
    {"call": 4, "of": "executor.job", "at": 1.25, "took": 0.0, "returned": None},
    {"item": 3, "at": 1.3, "value": "two"},
    {"closed": 3, "at": 1.4},
    {"end": 3, "at": 1.4, "returned": None},
    {
        "call": 5,
        "of": "Shell.run",
        "strand": "@2",
        "within": 2,
        "at": 1.5,
        "args": {"command": "b"},
        "took": 0.25,
        "raised": {"$type": "OSError", "args": [2, "no b"]},
    },
    {"end": 2, "at": 2.0, "returned": "answer"},
    {"call": 6, "of": "Shell.run", "at": 3.0, "args": {"command": "c"}},
]


def write_tape(
    path: Path, events: Iterable[Mapping[str, Any]], header: Mapping[str, Any] = HEADER
) -> Path:
    """A cassette of the shell and the server."""
    return tape_data.write_tape(path, events, header)
