"""`python -m mcp_agent JOURNAL SERVER …` renews what is due at the library that a command serves."""

import asyncio
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from mcp_agent.agent import renew_due_loans
from mcp_agent.bridges import FileJournal, SystemClock


async def main(journal: Path, command: str, *arguments: str) -> None:
    server = stdio_client(StdioServerParameters(command=command, args=list(arguments)))
    async with Client(server) as library:
        for title in await renew_due_loans(library, SystemClock(), FileJournal(journal)):
            print(title)


asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:]))
