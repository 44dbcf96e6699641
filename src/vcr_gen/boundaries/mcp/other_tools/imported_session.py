"""A session that another tool recorded, played through the recording wrappers into a cassette."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, final

import anyio

from vcr_gen import Cassette, Redaction
from vcr_gen.boundaries.mcp.client_seat import ANSWERS_TO_UNASKED
from vcr_gen.boundaries.mcp.frames import Frame
from vcr_gen.boundaries.mcp.session_tap import SessionTap
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.event_hooks import TapeEvent
from vcr_gen.runtime.tape.events import End, Event, Start, kind_of
from vcr_gen.runtime.tape.reading import Reading, read_events


@dataclass(frozen=True, slots=True)
class Passed:
    """A message that passed between a client and its server."""

    frame: Frame
    by_client: bool
    at: float
    """Seconds since the session began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSession:
    """The contents of a file of another tool."""

    tool: str
    messages: Sequence[Passed]
    """In the order of the wire."""
    recorded_at: datetime | None
    remarks: Sequence[str] = ()
    """What could not be imported, or was assumed, in words."""

    @property
    def requests(self) -> int:
        """How many requests were made, by either side."""
        return sum({"method", "id"} <= passed.frame.keys() for passed in self.messages)

    def in_header(self) -> dict[str, Plain]:
        """The entries for the header of the cassette."""
        asked = {passed.frame.get("method") for passed in self.messages if passed.by_client}
        unasked: list[Plain] = [method for method in ANSWERS_TO_UNASKED if method not in asked]
        origin: dict[str, Plain] = {"from": self.tool, "order": "recorded", "unasked": unasked}
        head: dict[str, Plain] = {"imported": origin}
        if self.recorded_at is not None:
            head["recorded_at"] = self.recorded_at.isoformat(timespec="seconds")
        return head


def play(session: ImportedSession, path: Path, redaction: Redaction) -> "Times":
    """Record the messages in a new cassette, as if they passed now; when they really passed."""
    times = Times()
    with Cassette(path, "all", redaction=redaction, before_record=times.note) as cassette:
        asyncio.run(_play(session.messages, cassette, times))
    return times


async def _play(messages: Sequence[Passed], cassette: Cassette, times: "Times") -> None:
    async with anyio.create_task_group() as tasks:
        tap = SessionTap(cassette, tasks)
        for passed in messages:
            times.now = max(times.now, passed.at)
            await tap.passed(passed.frame, by_client=passed.by_client)
        await tap.client_has_left()
        tasks.cancel_scope.cancel()


_NO_VALUE: Final = "cancelled"


@final
class Times:
    """When the events of an imported session happened, by method, kind and number."""

    def __init__(self) -> None:
        self.now = 0.0
        """When the message passed that is being played."""
        self._found: dict[tuple[str, str, int], float] = {}

    def note(self, event: TapeEvent) -> Plain:
        """Remember when an event happened; a hook of the recording."""
        self._found[f"{event.boundary}.{event.method}", event.kind, event.number] = self.now
        return event.value

    def events(self, played: Reading) -> Iterator[Event]:
        """The events of the played cassette at their own times."""
        counts: Counter[tuple[str, str]] = Counter()
        now = 0.0
        for event, start, _, _ in read_events(played, played.path):
            kind = "call" if isinstance(event, Start) else kind_of(event).value or _NO_VALUE
            counts[start.of, kind] += 1
            now = max(now, self._found.get((start.of, kind, counts[start.of, kind]), now))
            changes: dict[str, Any] = {"at": round(now, 6)}
            if isinstance(event, End):  # how long it took to play says nothing
                changes["took"] = None
            yield replace(event, **changes)
