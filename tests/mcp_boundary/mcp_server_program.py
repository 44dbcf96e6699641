"""A server of the official SDK: `python mcp_server_program.py`."""

import sys
import warnings

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp_types import SamplingMessage, TextContent

warnings.simplefilter("ignore")  # logging and sampling leave the protocol in 2026
server = MCPServer("demo", log_level="CRITICAL")


@server.tool()
async def add(a: int, b: int) -> int:
    return a + b


@server.tool()
async def count(to: int, ctx: Context) -> str:
    for number in range(1, to + 1):
        await ctx.report_progress(number, to, f"step {number}")
        await ctx.info(f"at {number}")
        await anyio.sleep(0.01)
    return f"counted to {to}"


@server.tool()
async def linger(ctx: Context) -> None:
    await ctx.report_progress(1)
    await anyio.sleep_forever()


@server.tool()
async def ask(question: str, ctx: Context) -> str:
    content = TextContent(type="text", text=question)
    answer = await ctx.session.create_message(
        messages=[SamplingMessage(role="user", content=content)], max_tokens=10
    )
    return str(answer.content.text)


@server.tool()
async def fail() -> str:
    raise ValueError("no such order")


@server.tool()
async def crash() -> str:
    sys.exit(3)


@server.resource("notes://today")
def today() -> str:
    return "Grüße aus dem Norden"


if __name__ == "__main__":
    if "--print" in sys.argv:
        print("starting", flush=True)
    server.run("stdio")
