"""A server of the official SDK: `python mcp_server_program.py`."""

import importlib
import json
import sys
import warnings
from typing import Annotated

import anyio
from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver import Context, Elicit, ListRoots, Resolve, Sample
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ListRootsResult,
    SamplingMessage,
    TextContent,
)
from pydantic import BaseModel

warnings.simplefilter("ignore")  # logging and sampling leave the protocol in 2026
server = MCPServer("demo", log_level="CRITICAL")


class Choice(BaseModel):
    size: int


@server.tool()
async def add(a: int, b: int) -> int:
    return a + b


@server.tool()
async def count(to: int, ctx: Context, pause: float = 0.01) -> str:
    for number in range(1, to + 1):
        await ctx.report_progress(number, to, f"step {number}")
        await ctx.info(f"at {number}")
        await anyio.sleep(pause)
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
async def consult(ctx: Context) -> str:
    async def progress(done: float, total: float | None, message: str | None) -> None:
        heard.append(done)

    heard: list[float] = []
    question = SamplingMessage(role="user", content=TextContent(type="text", text="why?"))
    params = CreateMessageRequestParams(messages=[question], max_tokens=10)
    asked = CreateMessageRequest(params=params)
    await ctx.session.send_request(asked, CreateMessageResult, progress_callback=progress)
    return str(heard)


@server.tool()
async def choose(ctx: Context) -> str:
    return str(await ctx.elicit("Which one?", Choice))


@server.tool()
async def where(ctx: Context) -> list[str]:
    return [str(root.uri) for root in (await ctx.session.list_roots()).roots]


def the_choice() -> Elicit[Choice]:
    return Elicit("How large?", Choice)


def the_advice(choice: Annotated[Choice, Resolve(the_choice)]) -> Sample:
    content = TextContent(type="text", text=f"Is {choice.size} enough?")
    return Sample([SamplingMessage(role="user", content=content)], max_tokens=10)


def the_folder() -> ListRoots:
    return ListRoots()


@server.tool()
async def order(
    choice: Annotated[Choice, Resolve(the_choice)],
    advice: Annotated[CreateMessageResult, Resolve(the_advice)],
    folder: Annotated[ListRootsResult, Resolve(the_folder)],
) -> str:
    """Ask twice, also where a server cannot ask: since 2026 it answers that it needs input."""
    return f"{choice.size} {advice.content.text} {folder.roots[0].uri}"


@server.tool()
async def learn(ctx: Context) -> None:
    await ctx.session.send_tool_list_changed()
    await ctx.notify_tools_changed()


@server.tool()
async def refuse() -> str:
    raise MCPError(-32050, "not today", {"until": ["tomorrow", 1.5, None]})


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
    if "--speak" in sys.argv:
        said = {"method": "notifications/message", "params": {"level": "info", "data": "ready"}}
        print(json.dumps({"jsonrpc": "2.0", **said}), flush=True)
    # Under its own name, as `listening_server` has it: the keys of its questions begin with it.
    importlib.import_module("mcp_server_program").server.run("stdio")
