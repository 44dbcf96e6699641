"""Records a session over HTTP: responses pass unchanged, and the wrappers are told on the side."""

import asyncio
from threading import Thread
from typing import final

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp.end_signals import ended_by_signals
from vcr_gen.boundaries.mcp.http_exchanges import HttpSession
from vcr_gen.boundaries.mcp.loopback_server import LoopbackServer
from vcr_gen.boundaries.mcp.reverse_proxy import ReverseProxy
from vcr_gen.boundaries.mcp.tap_queue import TapQueue


def record_http(cassette: Cassette, url: str, port: int) -> None:
    """Listen in the place of the server at a URL, forward and record, until a signal comes.

    The session goes on where something cannot be recorded; the error is raised when it has ended.
    """
    forwarding = _Forwarding(url, LoopbackServer(port))
    try:
        asyncio.run(_record(cassette, forwarding))
    finally:
        forwarding.join()


async def _record(cassette: Cassette, forwarding: "_Forwarding") -> None:
    tap = TapQueue()
    with ended_by_signals(forwarding.end):
        forwarding.begin(tap)
        await tap.record(cassette)


@final
class _Forwarding:
    """Forwards in a thread and a loop of its own, which never wait for the recording."""

    def __init__(self, url: str, server: LoopbackServer) -> None:
        self._url = url
        self._server = server
        self._thread: Thread | None = None

    def begin(self, tap: TapQueue) -> None:
        """Begin to forward; the tap hears what passes."""
        self._thread = Thread(target=self._run, args=(tap,))
        self._thread.start()

    def end(self) -> None:
        """Forward no more."""
        self._server.stop()

    def join(self) -> None:
        """Wait for the end."""
        if self._thread is not None:
            self._thread.join()

    def _run(self, tap: TapQueue) -> None:
        try:
            asyncio.run(self._forward(tap))
        finally:
            tap.tell(None)

    async def _forward(self, tap: TapQueue) -> None:
        proxy = ReverseProxy(self._url, self._server.origin, HttpSession(tap.tell))
        await self._server.run(proxy, f"recording {proxy.shown_url} at {proxy.url}")
