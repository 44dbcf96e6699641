"""Runs an HTTP server on loopback until a signal ends it."""

import logging
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any, Final, final

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from vcr_gen.errors import UsageError

HOST: Final = "127.0.0.1"
SECURITY: Final = TransportSecuritySettings(
    allowed_hosts=["127.0.0.1:*", "localhost:*"],
    allowed_origins=["http://127.0.0.1:*", "http://localhost:*"],
)
"""Refuses what a page of another site sends here, by a name of its own for this machine."""
_SECONDS_TO_END: Final = 1


@final
class LoopbackServer:
    """An HTTP server of this machine alone; listens from the beginning."""

    def __init__(self, port: int) -> None:
        # With its protocol named, asyncio lets the connections send small pieces at once.
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._listener.bind((HOST, port))
        except OSError as error:
            self._listener.close()
            why = os.strerror(error.errno or 0)
            raise UsageError(f"vcr-gen: cannot listen on {HOST}:{port}: {why}") from error
        self.origin: Final = f"http://{HOST}:{self._listener.getsockname()[1]}"
        self._running: uvicorn.Server | None = None
        self._is_to_stop = False

    async def run(self, app: Any, announcement: str) -> None:
        """Serve an application until a signal comes or `stop` is called.

        The announcement is printed on stderr once the server accepts clients.
        """
        # Both complain about clients that leave while they are being answered, as clients may.
        for name in ("mcp", "uvicorn"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        config = uvicorn.Config(
            app,
            log_config=None,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=_SECONDS_TO_END,
        )
        self._running = _EndedBySignals(config, announcement)
        self._running.should_exit = self._is_to_stop
        await self._running.serve(sockets=[self._listener])

    def stop(self) -> None:
        """End as a signal would end it."""
        self._is_to_stop = True
        if self._running is not None:
            self._running.should_exit = True


@final
class _EndedBySignals(uvicorn.Server):
    """Announces on stderr that it accepts clients, and returns after a signal."""

    def __init__(self, config: uvicorn.Config, announcement: str) -> None:
        super().__init__(config)
        self._announcement = announcement

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let signals end the server; uvicorn's own handler raises them again afterwards."""
        if current_thread() is main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, self.handle_exit)
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        print(f"vcr-gen: {self._announcement}", file=sys.stderr, flush=True)
