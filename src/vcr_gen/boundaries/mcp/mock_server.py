"""Serves a recorded session to a client over stdio."""

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import final

import anyio

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp.client_seat import ClientSeat
from vcr_gen.boundaries.mcp.faults import MALFORMED, Fault
from vcr_gen.boundaries.mcp.frames import Frame
from vcr_gen.boundaries.mcp.rpc_endpoint import Endpoint
from vcr_gen.boundaries.mcp.stdio_lines import FrameReader, line_of, write_all


def serve_stdio(cassette: Cassette, already: bytes = b"", *, faults: Sequence[Fault] = ()) -> None:
    """Answer the client on stdin and stdout, until it leaves.

    `already` is what was read from stdin, to choose the cassette.
    """
    asyncio.run(_serve(cassette, already, faults))


async def _serve(cassette: Cassette, already: bytes, faults: Sequence[Fault]) -> None:
    frames = FrameReader(0, already)
    with cassette.peer() as peer:
        async with anyio.create_task_group() as tasks:
            stdout = _Stdout()
            client = Endpoint(tasks, stdout)
            seat = ClientSeat(cassette, client, None, faults=faults, connection=stdout)
            tasks.start_soon(seat.play_server)
            async for frame in frames:
                await client.receive(frame)
            await client.left()
            peer.gone()


@final
class _Stdout:
    """Frames as lines on stdout."""

    async def send(self, frame: Frame, metadata: object = None) -> None:
        with suppress(OSError):  # the client has left
            write_all(1, line_of(frame))

    async def close(self) -> None:
        os.close(1)

    async def send_malformed(self) -> None:
        with suppress(OSError):
            write_all(1, MALFORMED + b"\n")

    async def disconnect(self) -> None:
        with suppress(OSError):  # it was closed before
            os.close(1)

    async def crash(self, code: int) -> None:
        os._exit(code)
