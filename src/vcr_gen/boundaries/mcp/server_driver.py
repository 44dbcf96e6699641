"""Drives a server with a recorded session: its client is played from the tape."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Final, final

import anyio

from vcr_boundaries import VcrDrivenServer, VcrRecordedClient
from vcr_gen import Cassette, Driver, Echoed, Rule, Volatile
from vcr_gen.boundaries.mcp.frames import Frame
from vcr_gen.boundaries.mcp.rpc_endpoint import Endpoint, Wire
from vcr_gen.boundaries.mcp.spoken_order import (
    Transcript,
    differences_in_order,
    recorded_transcript,
    server_ended,
)
from vcr_gen.boundaries.mcp.stdio_lines import FrameReader, line_of, write_all
from vcr_gen.errors import Divergence, DivergenceError, VerificationError

BOUNDARIES: Final = ("server", "client")
"""The boundaries that a driven server has on its side."""
_ECHOED: Final = tuple(
    Rule("server.request", f"$result.{name}", Echoed) for name in ("requestState", "nextCursor")
)
"""Values that a server makes up and its client sends back."""
_REDACTED: Final = Rule("client.request", "message.params.maxTokens", Volatile)
"""Values that mcp-cassette redacts, so that they must be assumed."""
_SECONDS_TO_END: Final = (0.2, 1.0)
"""Until a server is asked to end, and until it is forced to."""


def drive_stdio(cassette: Cassette, command: Sequence[str]) -> None:
    """Run a server, ask it what the recorded client asked, and compare what it says.

    All differences are raised at the end, as one `VerificationError`.
    """
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdout
    with server.stdout:
        try:
            asyncio.run(_over_stdio(cassette, server))
        finally:
            _end(server)


def _end(server: "subprocess.Popen[bytes]") -> None:
    """Let the server end as a client would: by closing its input, and by force if need be."""
    assert server.stdin
    with suppress(OSError):  # what is still to be written has no reader
        server.stdin.close()
    for seconds, insist in zip(_SECONDS_TO_END, (server.terminate, server.kill), strict=True):
        try:
            server.wait(seconds)
        except subprocess.TimeoutExpired:
            insist()
        else:
            return
    server.wait()


async def _over_stdio(cassette: Cassette, server: "subprocess.Popen[bytes]") -> None:
    assert server.stdin
    assert server.stdout
    frames = FrameReader(server.stdout.fileno())
    await drive(cassette, _Stdin(server.stdin.fileno()), frames, in_one_stream=True)


async def drive(
    cassette: Cassette, wire: Wire, frames: AsyncIterator[Frame], *, in_one_stream: bool
) -> None:
    """Ask a server by a wire, and compare the frames that it says.

    All differences are raised at the end, as one `VerificationError`.
    """
    cassette.loosen(*_ECHOED, default=True)
    if (cassette.imported or {}).get("from") == "mcp-cassette":
        cassette.loosen(_REDACTED, default=True)
    replay = cassette.replay()
    found = replay.engine.collect().divergences
    recorded = recorded_transcript(cassette.path, in_one_stream=in_one_stream)
    transcript = Transcript(in_one_stream=in_one_stream)
    before_the_end: list[Divergence] = []
    with cassette.peer(pauses=False) as peer:
        async with anyio.create_task_group() as tasks:
            end = Endpoint(tasks, _Noted(wire, transcript))
            client = end.handler = VcrRecordedClient(cassette=cassette)
            driver = Driver(cassette, VcrDrivenServer(cassette=cassette, inner=end), collect=True)

            async def hear() -> None:
                async for frame in frames:
                    transcript.server_said(frame)
                    await end.receive(frame)
                transcript.server_ends = True
                if not recorded.server_ends:  # what differs from now on only follows from it
                    ended = server_ended(cassette.path, recorded, transcript)
                    before_the_end.extend((*found, ended))
                await end.left()
                with suppress(DivergenceError):  # the driver reports it
                    await client.closed()
                peer.gone()

            tasks.start_soon(hear)
            with suppress(VerificationError):  # what it reports is not all
                await driver.run()
            tasks.cancel_scope.cancel()
    order = differences_in_order(cassette.path, recorded, transcript)
    replay.report([*(before_the_end or found), *order])


@final
class _Noted:
    """A wire whose frames are noted."""

    def __init__(self, wire: Wire, transcript: Transcript) -> None:
        self._wire = wire
        self._transcript = transcript
        self.close = wire.close

    async def send(self, frame: Frame, metadata: object = None) -> None:
        self._transcript.client_said(frame)
        await self._wire.send(frame, metadata)


@final
class _Stdin:
    """Frames as lines on the input of the server."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    async def send(self, frame: Frame, metadata: object = None) -> None:
        with suppress(OSError):  # the server has ended
            write_all(self._descriptor, line_of(frame))

    async def close(self) -> None:
        """A recorded client does not close its side before the end."""
