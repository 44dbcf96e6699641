"""Renews the loans that are due soon. It knows the SDK of MCP and two Protocols, not vcr-gen."""

from datetime import date, timedelta
from typing import Any

from mcp import Client

from mcp_agent.ports import Clock, Journal

SOON = timedelta(days=3)
EXTENSION = timedelta(weeks=3)


async def renew_due_loans(library: Client, clock: Clock, journal: Journal) -> list[str]:
    """The titles that were renewed; the journal says what the library answered."""
    today = clock.today()
    renewed = []
    for loan in await _loans(library):
        if date.fromisoformat(loan["due"]) > today + SOON:
            continue
        until = (today + EXTENSION).isoformat()
        answer = await library.call_tool("renew", {"title": loan["title"], "until": until})
        journal.add(f"{today}: {_text(answer)}")
        if not answer.is_error:
            renewed.append(loan["title"])
    return renewed


async def _loans(library: Client) -> list[dict[str, str]]:
    answer = await library.call_tool("loans", {})
    found: list[dict[str, str]] = (answer.structured_content or {})["result"]
    return found


def _text(answer: Any) -> str:
    return " ".join(part.text for part in answer.content)
