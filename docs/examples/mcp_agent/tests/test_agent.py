"""The agent runs for real; the library, the date and the journal are replayed.

`VCR_RECORD=1 pytest` records again.
"""

import sys
from pathlib import Path

import anyio
from mcp import Client
from vcr_gen import Cassette
from vcr_gen.boundaries.mcp import McpOnCassette
from vcr_mcp_agent import VcrClock, VcrJournal

from mcp_agent.agent import renew_due_loans
from mcp_agent.bridges import FileJournal, SystemClock

LIBRARY = [sys.executable, str(Path(__file__).with_name("library_server.py"))]


def test_loans_are_renewed_before_they_are_due(
    vcrgen_cassette: Cassette, vcrgen_mcp: McpOnCassette, tmp_path: Path
) -> None:
    clock = VcrClock.attach(vcrgen_cassette, SystemClock)
    journal = VcrJournal.attach(vcrgen_cassette, lambda: FileJournal(tmp_path / "journal.txt"))

    async def session() -> list[str]:
        async with Client(vcrgen_mcp.transport(LIBRARY)) as library:
            return await renew_due_loans(library, clock, journal)

    assert anyio.run(session) == ["Dune"]
