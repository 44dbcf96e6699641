"""Drives a server with a recorded session: its client is played from the tape."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Final, final

import anyio

from vcr_boundaries import VcrDrivenServer, VcrRecordedClient
from vcr_gen import Cassette, Driver, Echoed, Rule
from vcr_gen.boundaries.mcp.rpc_endpoint import Endpoint, Frame, Wire
from vcr_gen.boundaries.mcp.stdio_lines import FrameReader, line_of, write_all
from vcr_gen.errors import DivergenceError, VerificationError

__all__ = ["BOUNDARIES", "drive", "drive_stdio"]

BOUNDARIES: Final = ("server", "client")
"""The boundaries that a driven server has on its side."""
_ECHOED: Final = tuple(
    Rule("server.request", f"$result.{name}", Echoed) for name in ("requestState", "nextCursor")
)
"""What a server makes up, and its client gives back."""
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
    await drive(cassette, _Stdin(server.stdin.fileno()), frames)


async def drive(cassette: Cassette, wire: Wire, frames: AsyncIterator[Frame]) -> None:
    """Ask a server by a wire, and compare the frames that it says.

    All differences are raised at the end, as one `VerificationError`.
    """
    cassette.loosen(*_ECHOED, default=True)
    found: VerificationError | None = None
    with cassette.peer(pauses=False) as peer:
        async with anyio.create_task_group() as tasks:
            end = Endpoint(tasks, wire)
            client = end.handler = VcrRecordedClient(cassette=cassette)
            driver = Driver(cassette, VcrDrivenServer(cassette=cassette, inner=end), collect=True)

            async def hear() -> None:
                async for frame in frames:
                    await end.receive(frame)
                await end.left()
                with suppress(DivergenceError):  # the driver reports it
                    await client.closed()
                peer.gone()

            tasks.start_soon(hear)
            try:
                await driver.run()
            except VerificationError as error:
                found = error
            tasks.cancel_scope.cancel()
    if found is not None:
        raise found


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
