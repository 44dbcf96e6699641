"""Frames over the two streams of a transport of the SDK."""

from contextlib import suppress
from typing import Any, Self, TypeAlias, final

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from vcr_gen.boundaries.mcp.faults import MALFORMED
from vcr_gen.boundaries.mcp.frames import Frame, frame_of
from vcr_gen.boundaries.mcp.rpc_endpoint import Endpoint

Streams: TypeAlias = tuple[Any, Any]
"""What a transport of the SDK gives: a stream to read from and one to write to."""


@final
class StreamWire:
    """The side at the other end of two streams."""

    def __init__(self, reads: Any, writes: Any) -> None:
        self._reads = reads
        self._writes = writes

    async def send(self, frame: Frame, metadata: Any = None) -> None:
        """Send a frame; silently not, if that side has left."""
        message = jsonrpc_message_adapter.validate_python(frame, by_name=False)
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # it has left
            await self._writes.send(SessionMessage(message, metadata))

    async def close(self) -> None:
        """Tell that side that no frame will follow."""
        await self._writes.aclose()

    # No asynchronous generator: a cancelled reader would leave it for the garbage collector.
    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> tuple[Frame, object]:
        """The messages of that side, with the transport's facts about each, until it leaves."""
        while True:
            item = await anext(self._reads)
            if isinstance(item, SessionMessage):
                frame = frame_of(item.message.model_dump(by_alias=True, exclude_unset=True))
                if frame is not None:
                    return frame, item.metadata

    async def pass_to(self, end: Endpoint) -> None:
        """Pass on what that side says, until it leaves."""
        async for frame, metadata in self:
            await end.receive(frame, metadata)

    async def send_malformed(self) -> None:
        """Give that side the error of a transport for a line that is not JSON."""
        try:
            jsonrpc_message_adapter.validate_json(MALFORMED)
        except ValueError as error:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                await self._writes.send(error)

    async def disconnect(self) -> None:
        """Close the connection."""
        await self._writes.aclose()

    async def crash(self, code: int) -> None:
        """Close the connection: nothing else shows that a server in another process crashed."""
        del code
        await self._writes.aclose()
