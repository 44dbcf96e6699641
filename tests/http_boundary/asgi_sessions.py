"""Web applications that are recorded behind a real server, and driven by the tape in a replay."""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from vcr_gen import Cassette, Driver
from vcr_gen.boundaries.http import http_inbound


@contextmanager
def served(app: Any) -> Iterator[str]:
    """The address of a server for the application, in a thread of its own."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, log_level="critical", lifespan="on", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started and thread.is_alive():
            thread.join(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def record_behind_uvicorn(
    path: Path, make_app: Callable[[Cassette], Any], use: Callable[[httpx.Client], object]
) -> Any:
    """What the client of a recorded session got."""
    with (
        Cassette(path, "all") as cassette,
        served(http_inbound(cassette, make_app(cassette))) as base,
        httpx.Client(base_url=base, timeout=60) as client,
    ):
        return use(client)


async def record_in_loop(
    path: Path,
    make_app: Callable[[Cassette], Any],
    use: Callable[[httpx.AsyncClient], Awaitable[Any]],
) -> Any:
    """The same in the test's own loop, without a server."""
    with Cassette(path, "all") as cassette:
        app = http_inbound(cassette, make_app(cassette))
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await use(client)


async def drive(path: Path, make_app: Callable[[Cassette], Any]) -> None:
    """Replay a session with the requests of the tape."""
    with Cassette(path, "none") as cassette:
        await Driver(cassette, http_inbound(cassette, make_app(cassette))).run()


def replay(path: Path, make_app: Callable[[Cassette], Any]) -> None:
    """The same without a loop."""
    asyncio.run(drive(path, make_app))
