"""The official Python client with two official TypeScript servers, and everything it observes."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp import Client, MCPError

__all__ = ["everything", "filesystem"]


class _Observer:
    """Notes what a client observes, and answers what its server asks."""

    def __init__(self) -> None:
        self.seen: list[object] = []
        self._told = anyio.Event()

    def client(self, transport: AbstractAsyncContextManager[Any], mode: str) -> Client:
        return Client(
            transport,
            mode=mode,
            sampling_callback=self._sample,
            elicitation_callback=self._elicit,
            list_roots_callback=self._roots,
            logging_callback=self._log,
            message_handler=self._note,
        )

    async def call(self, client: Client, tool: str, **arguments: object) -> None:
        """Call a tool, and note its progress and its result."""
        try:
            result = await client.call_tool(tool, arguments, progress_callback=self._progress)
            self.seen.append((tool, plain(result)))
        except MCPError as error:
            self.seen.append((tool, error.code, error.message, error.data))

    async def until_logged(self, text: str, times: int) -> None:
        """Wait until so many logs contain a text."""
        while sum(text in repr(each) for each in self.seen) < times:
            await self._told.wait()

    async def _progress(self, done: float, total: float | None, message: str | None) -> None:
        self.seen.append(("progress", done, total, message))

    async def _log(self, params: Any) -> None:
        self.seen.append(("log", params.level, params.data))
        self._told.set()
        self._told = anyio.Event()

    async def _note(self, message: Any) -> None:
        if not isinstance(message, types.LoggingMessageNotification):
            self.seen.append(("told", type(message).__name__, plain(message)))

    async def _sample(self, context: Any, params: Any) -> types.CreateMessageResult:
        self.seen.append(("sampled", plain(params.messages[0])))
        content = types.TextContent(type="text", text="because")
        return types.CreateMessageResult(role="assistant", content=content, model="m")

    async def _elicit(self, context: Any, params: Any) -> types.ElicitResult:
        self.seen.append(("elicited", params.message))
        return types.ElicitResult(action="accept", content={"name": "Grüße", "integer": 7})

    async def _roots(self, context: Any) -> types.ListRootsResult:
        self.seen.append("asked for roots")
        return types.ListRootsResult(roots=[types.Root(uri="file:///somewhere")])


def plain(result: Any) -> Mapping[str, Any]:
    """A result as it is on the wire."""
    dumped: Mapping[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    return dumped


async def everything(transport: AbstractAsyncContextManager[Any], mode: str) -> list[object]:
    """Use what `server-everything` offers, but for what is random."""
    observer = _Observer()
    seen = observer.seen
    async with observer.client(transport, mode) as client:
        seen.append((client.protocol_version, client.instructions))
        await observer.until_logged("Roots updated", 1)
        await client.set_logging_level("debug")
        seen.append([plain(tool) for tool in (await client.list_tools()).tools])
        seen.append([plain(prompt) for prompt in (await client.list_prompts()).prompts])
        seen.append(plain(await client.list_resources()))
        seen.append(plain(await client.list_resource_templates()))
        seen.append(plain(await client.get_prompt("args-prompt", {"city": "Bonn"})))
        reference = types.PromptReference(type="ref/prompt", name="completable-prompt")
        argument = {"name": "department", "value": "E"}
        seen.append(plain(await client.complete(reference, argument)))
        await observer.call(client, "echo", message="Grüße 🌍\u2028")
        await observer.call(client, "echo", message=3)
        await observer.call(client, "no-such-tool")
        await observer.call(client, "get-tiny-image")
        await observer.call(client, "get-structured-content", location="Chicago")
        await observer.call(client, "get-annotated-message", messageType="error")
        await observer.call(client, "trigger-sampling-request", prompt="why?", maxTokens=5)
        await observer.call(client, "trigger-elicitation-request")
        await observer.call(client, "get-roots-list")
        async with anyio.create_task_group() as tasks:
            for duration in (0.5, 0.2):
                await anyio.sleep(0)
                tasks.start_soon(_long, observer, client, duration)
        await _timed_out(observer, client)
        try:
            await client.read_resource("demo://nothing")
        except MCPError as error:
            seen.append((error.code, error.message, error.data))
        await client.subscribe_resource("demo://resource/static/document/features.md")
        await client.send_roots_list_changed()
        await observer.until_logged("Roots updated", 2)
        await observer.call(client, "get-sum", a=1, b=2.5)
    return seen


async def _long(observer: _Observer, client: Client, duration: float) -> None:
    tool = "trigger-long-running-operation"
    await observer.call(client, tool, duration=duration, steps=4)


async def _timed_out(observer: _Observer, client: Client) -> None:
    try:
        await client.call_tool(
            "trigger-long-running-operation", {"duration": 30, "steps": 1}, read_timeout_seconds=0.3
        )
    except MCPError as error:
        observer.seen.append((error.code, error.message))


async def filesystem(
    transport: AbstractAsyncContextManager[Any], mode: str, folder: Path
) -> list[object]:
    """Write, read, and search files; fail at some."""
    observer = _Observer()
    async with observer.client(transport, mode) as client:
        tools = (await client.list_tools()).tools
        observer.seen.append([plain(tool) for tool in tools])
        letter = str(folder / "letter.txt")
        await observer.call(client, "list_allowed_directories")
        await observer.call(client, "write_file", path=letter, content="Grüße\nfrom Bonn\n")
        await observer.call(client, "read_text_file", path=letter)
        edits = [{"oldText": "Bonn", "newText": "Köln"}]
        await observer.call(client, "edit_file", path=letter, edits=edits)
        await observer.call(client, "create_directory", path=str(folder / "old"))
        await observer.call(client, "list_directory", path=str(folder))
        await observer.call(client, "search_files", path=str(folder), pattern="*.txt")
        await observer.call(client, "read_text_file", path=str(folder / "nothing"))
        await observer.call(client, "read_text_file", path="/etc/hostname")
        await observer.call(client, "move_file", source=letter, destination=str(folder / "old/it"))
        await observer.call(client, "directory_tree", path=str(folder))
    return observer.seen
