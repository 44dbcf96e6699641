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
from anyio.abc import TaskGroup

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp.client_seat import ClientSeat
from vcr_gen.boundaries.mcp.rpc_endpoint import Endpoint, Frame
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
        await _Tap(cassette, tasks).follow(heard)
        tasks.cancel_scope.cancel()


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


@final
class _Tap:
    """Tells the wrappers what passes between a client and its server, in the order of the wire."""

    def __init__(self, cassette: Cassette, tasks: TaskGroup) -> None:
        self._number: int | str = 0
        self._begun = asyncio.Event()
        self._client = Endpoint(tasks, _NoWire(), numbers=self._number_on_wire)
        self._server = Endpoint(tasks, _NoWire(), numbers=self._number_on_wire)
        self._seat = ClientSeat(cassette, self._client, self._server)

    async def follow(self, heard: "asyncio.Queue[_Heard]") -> None:
        """Record what is heard, until the server has left."""
        lines = {True: LineBuffer(), False: LineBuffer()}
        client_has_left = False
        while True:
            item = await heard.get()
            if item.piece:
                for frame in lines[item.by_client].frames(item.piece):
                    await self._pass(item.by_client, frame)
            elif item.by_client:
                client_has_left = True
                await self._client.left()
            else:
                if not client_has_left:
                    await self._seat.server_has_ended()
                return

    async def _pass(self, by_client: bool, frame: Frame) -> None:
        """Handle a frame until all that it causes is recorded."""
        end, other = self._client, self._server
        if not by_client:
            end, other = other, end
        if "method" not in frame:
            await end.receive(frame)
            await other.served(frame.get("id", ""))
        elif "id" not in frame:
            await end.receive(frame)
        else:
            self._number = frame["id"]
            self._begun.clear()
            await end.receive(frame)
            await self._begun.wait()

    def _number_on_wire(self) -> int | str:
        self._begun.set()
        return self._number


@final
class _NoWire:
    """Sends nothing: the bytes have been forwarded as they were."""

    async def send(self, frame: Frame, metadata: object = None) -> None:
        del frame, metadata

    async def close(self) -> None:
        """The side has been told by the end of its input."""
