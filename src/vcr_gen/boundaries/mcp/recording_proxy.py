"""Records a session over stdio: bytes pass unchanged, and the wrappers are told on the side."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import Final, final

import anyio

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp.session_tap import SessionTap
from vcr_gen.boundaries.mcp.stdio_lines import LineBuffer, pump, write_all

__all__ = ["record_stdio"]

_SWITCH_INTERVAL: Final = 0.0005
"""Seconds until a thread that forwards bytes gets its turn beside the one that records."""
_SECONDS_TO_END: Final = 1.0


@dataclass(frozen=True, slots=True)
class _Heard:
    """What one side said; nothing if it has left."""

    by_client: bool
    piece: bytes


def record_stdio(cassette: Cassette, command: Sequence[str]) -> int:
    """Run a server, forward what it and its client say, and record it; the server's exit code.

    The session goes on where something cannot be recorded; the error is raised when it has ended.
    """
    sys.setswitchinterval(_SWITCH_INTERVAL)
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: _stop(server))
    forwarding = _Forwarding(server)
    try:
        asyncio.run(_record(cassette, forwarding))
    finally:
        forwarding.from_server.join()
        code = server.wait()
    return code


def _stop(server: "subprocess.Popen[bytes]") -> None:
    """End the server, so that the session ends."""
    server.terminate()
    signal.signal(signal.SIGALRM, lambda *_: server.kill())
    signal.setitimer(signal.ITIMER_REAL, _SECONDS_TO_END)


async def _record(cassette: Cassette, forwarding: "_Forwarding") -> None:
    heard = forwarding.begin()
    async with anyio.create_task_group() as tasks:
        await _follow(SessionTap(cassette, tasks), heard)
        tasks.cancel_scope.cancel()


async def _follow(tap: SessionTap, heard: "asyncio.Queue[_Heard]") -> None:
    """Record what is heard, until the server has left."""
    lines = {True: LineBuffer(), False: LineBuffer()}
    while True:
        item = await heard.get()
        if item.piece:
            for frame in lines[item.by_client].frames(item.piece):
                await tap.passed(frame, by_client=item.by_client)
        elif item.by_client:
            await tap.client_has_left()
        else:
            await tap.server_has_left()
            return


@final
class _Forwarding:
    """Passes on the bytes of both sides, in threads that never wait for the recording."""

    from_server: Thread

    def __init__(self, server: "subprocess.Popen[bytes]") -> None:
        assert server.stdin
        assert server.stdout
        self._to_server = server.stdin
        self._server_says = server.stdout.fileno()

    def begin(self) -> "asyncio.Queue[_Heard]":
        """Begin to forward; what passes is put into a queue of the running loop."""
        self._heard: asyncio.Queue[_Heard] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._forward(0, self._to_server.fileno(), by_client=True)
        self.from_server = self._forward(self._server_says, 1, by_client=False)
        return self._heard

    def _forward(self, source: int, target: int, *, by_client: bool) -> Thread:
        def forward(piece: bytes) -> None:
            # Told first: what the target answers must not overtake what it answers.
            self._tell(_Heard(by_client, piece))
            write_all(target, piece)

        def end() -> None:
            if by_client:
                self._to_server.close()
            self._tell(_Heard(by_client, b""))

        return pump(source, forward, end)

    def _tell(self, item: _Heard) -> None:
        with suppress(RuntimeError):  # the loop is closed: the recording has failed
            self._loop.call_soon_threadsafe(self._heard.put_nowait, item)
