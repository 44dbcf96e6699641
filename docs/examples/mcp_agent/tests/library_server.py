"""The library: an MCP server over stdio. It is needed only to record."""

from datetime import date, timedelta

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("library", log_level="ERROR")
DUE_IN_DAYS = {"Dune": 1, "Emma": 2, "Ulysses": 30}
RESERVED = {"Emma"}


@server.tool()
def loans() -> list[dict[str, str]]:
    """The loans of the reader, with the dates when they are due."""
    today = date.today()
    return [
        {"title": title, "due": (today + timedelta(days=days)).isoformat()}
        for title, days in DUE_IN_DAYS.items()
    ]


@server.tool()
def renew(title: str, until: str) -> str:
    """Renew a loan, unless somebody waits for the book."""
    if title in RESERVED:
        raise ToolError(f"{title} is reserved by another reader")
    return f"{title} is renewed until {until}"


if __name__ == "__main__":
    server.run("stdio")
