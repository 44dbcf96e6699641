"""Records a session over stdio: bytes pass unchanged, and the wrappers are told on the side."""

import asyncio
import subprocess
from collections.abc import Sequence
from threading import Thread, Timer
from typing import Final, final

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp.end_signals import ended_by_signals
from vcr_gen.boundaries.mcp.stdio_lines import LineBuffer, pump, write_all
from vcr_gen.boundaries.mcp.tap_queue import Heard, TapQueue

_SECONDS_TO_END: Final = 1.0
_SHELL_SIGNAL: Final = 128
"""What shells add to the number of the signal that ended a program."""


def record_stdio(cassette: Cassette, command: Sequence[str]) -> int:
    """Run a server, forward what it and its client say, and record it; the server's exit code.

    The session goes on where something cannot be recorded; the error is raised when it has ended.
    """
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    forwarding = _Forwarding(server)
    try:
        asyncio.run(_record(cassette, forwarding, server))
    finally:
        forwarding.from_server.join()
        code = server.wait()
    return code if code >= 0 else _SHELL_SIGNAL - code


def _stop(server: "subprocess.Popen[bytes]") -> None:
    """End the server, so that the session ends."""
    server.terminate()
    insisting = Timer(_SECONDS_TO_END, server.kill)
    insisting.daemon = True
    insisting.start()


async def _record(
    cassette: Cassette, forwarding: "_Forwarding", server: "subprocess.Popen[bytes]"
) -> None:
    tap = TapQueue()
    with ended_by_signals(lambda: _stop(server)):
        forwarding.begin(tap)
        await tap.record(cassette)


@final
class _Forwarding:
    """Passes on the bytes of both sides, in threads that never wait for the recording."""

    from_server: Thread

    def __init__(self, server: "subprocess.Popen[bytes]") -> None:
        assert server.stdin
        assert server.stdout
        self._to_server = server.stdin
        self._server_says = server.stdout.fileno()

    def begin(self, tap: TapQueue) -> None:
        """Begin to forward; the tap hears what passes."""
        self._forward(0, self._to_server.fileno(), tap, by_client=True)
        self.from_server = self._forward(self._server_says, 1, tap, by_client=False)

    def _forward(self, source: int, target: int, tap: TapQueue, *, by_client: bool) -> Thread:
        lines = LineBuffer()

        def forward(piece: bytes) -> None:
            # Told first: what the target answers must not overtake what it answers.
            tap.tell(Heard(by_client, lines.frames(piece)))
            write_all(target, piece)

        def end() -> None:
            tap.tell(Heard(by_client, has_left=True))
            if by_client:
                self._to_server.close()
            else:
                tap.tell(None)

        return pump(source, forward, end)
