"""A client of the official SDK, and everything that it sees of a session."""

from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
import mcp_types as types
from mcp import Client, MCPError

ERAS = ("legacy", "auto")
"""The protocol of 2025-11-25 and earlier, with a handshake; and that of 2026-07-28."""


async def session(transport: AbstractAsyncContextManager[Any], era: str) -> list[object]:
    """Use what the server of `mcp_server_program` offers."""
    seen: list[object] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        seen.append(("progress", done, total, message))

    async def log(params: Any) -> None:
        seen.append(("log", params.data))

    async def sample(context: Any, params: Any) -> types.CreateMessageResult | types.ErrorData:
        question = params.messages[0].content.text
        seen.append(("asked", question))
        if question == "why not?":
            return types.ErrorData(code=-1, message="enough", data={"left": 0})
        content = types.TextContent(type="text", text="because")
        return types.CreateMessageResult(role="assistant", content=content, model="m")

    async def choose(context: Any, params: Any) -> types.ElicitResult:
        seen.append(("to choose", params.message))
        return types.ElicitResult(action="accept", content={"size": 3})

    async def roots(context: Any) -> types.ListRootsResult:
        seen.append("asked for roots")
        return types.ListRootsResult(roots=[types.Root(uri="file:///work")])

    async def hear(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            seen.append("changed")
            changed.set()

    changed = anyio.Event()

    async def call(tool: str, **arguments: object) -> None:
        try:
            result = await client.call_tool(tool, arguments, progress_callback=progress)
            seen.append((tool, result.is_error, [part.text for part in result.content]))
        except MCPError as error:
            seen.append((tool, error.code, error.message, error.data))

    async with Client(
        transport,
        mode=era,
        sampling_callback=sample,
        logging_callback=log,
        elicitation_callback=choose,
        list_roots_callback=roots,
        message_handler=hear,
        log_level=None if era == "legacy" else "info",
    ) as client:
        seen.append([tool.name for tool in (await client.list_tools()).tools])
        resource = await client.read_resource("notes://today")
        seen.append([part.text for part in resource.contents])
        await call("add", a=1, b=2)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: call("count", to=3))
            tasks.start_soon(lambda: call("count", to=2))
        await call("ask", question="why?")
        await call("ask", question="why not?")
        await call("choose")
        await call("where")
        await call("order")
        if era == "legacy":
            await call("learn")
            await changed.wait()
        else:
            async with (
                client.listen(tools_list_changed=True) as first,
                client.listen(tools_list_changed=True) as second,
            ):
                await call("learn")
                await anext(first)
                await anext(second)
        await call("refuse")
        await call("fail")
        await call("nothing")
        await cancelled(client, seen)
    return seen


async def cancelled(client: Client, seen: list[object]) -> None:
    """Cancel a call that has made a step."""
    with anyio.CancelScope() as scope:

        async def progress(done: float, total: float | None, message: str | None) -> None:
            seen.append(("progress", done))
            scope.cancel()

        await client.call_tool("linger", progress_callback=progress)
    seen.append("cancelled")
