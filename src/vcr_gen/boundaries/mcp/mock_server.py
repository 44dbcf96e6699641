"""Serves a recorded session to a client over stdio."""

import asyncio
import json
import os
from contextlib import suppress
from typing import final

import anyio

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp.client_seat import ClientSeat
from vcr_gen.boundaries.mcp.rpc_endpoint import Endpoint, Frame
from vcr_gen.boundaries.mcp.stdio_lines import LineBuffer, pump, write_all

__all__ = ["serve_stdio"]


def serve_stdio(cassette: Cassette) -> None:
    """Answer the client on stdin and stdout, until it leaves."""
    asyncio.run(_serve(cassette))


async def _serve(cassette: Cassette) -> None:
    frames: asyncio.Queue[Frame | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    buffer = LineBuffer()

    def hear(frame: Frame | None) -> None:
        loop.call_soon_threadsafe(frames.put_nowait, frame)

    def heard(piece: bytes) -> None:
        for frame in buffer.frames(piece):
            hear(frame)

    pump(0, heard, lambda: hear(None))
    with cassette.peer() as peer:
        async with anyio.create_task_group() as tasks:
            client = Endpoint(tasks, _Stdout())
            seat = ClientSeat(cassette, client, None)
            tasks.start_soon(seat.play_server)
            while (frame := await frames.get()) is not None:
                await client.receive(frame)
            await client.left()
            peer.gone()


@final
class _Stdout:
    """Frames as lines on stdout."""

    async def send(self, frame: Frame) -> None:
        text = json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
        with suppress(OSError):  # the client has left
            write_all(1, text.encode() + b"\n")

    async def close(self) -> None:
        os.close(1)
