"""Cassettes that an earlier version recorded still replay, and the program sees what it saw.

`freeze_cassettes.py` recorded them once. They stay as they are: changing them would hide that old
cassettes no longer replay.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from mutation_sessions import SESSIONS
from mutation_sessions.kinds import Inbound, Outbound

FROZEN = Path(__file__).parent / "frozen"
ENDINGS = ("yaml", "jsonl")


def frozen_path(session: Outbound | Inbound, ending: str) -> Path:
    """The cassette of a session."""
    return FROZEN / f"{session.name.replace(' ', '_')}.{ending}"


def seen_path(cassette: Path) -> Path:
    """The file that holds what the program saw when the cassette was recorded."""
    return cassette.with_suffix(".seen.json")


def in_words(seen: list[Any]) -> list[str]:
    """What a program saw, without addresses in memory."""
    return [re.sub(r" at 0x[0-9a-f]+", "", repr(part)) for part in seen]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.name)
def test_a_frozen_cassette_replays(session: Outbound | Inbound, ending: str) -> None:
    path = frozen_path(session, ending)

    assert json.loads(seen_path(path).read_text("utf-8")) == in_words(session.replay(path))
