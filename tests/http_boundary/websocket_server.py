"""A real WebSocket server on loopback: each path shows one behaviour."""

import asyncio
import contextlib
import json
import logging
import threading
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

TOKEN = "sk-live-4f9a8b7c6d5e4f3a2b1c"


async def echo(socket: ServerConnection) -> None:
    async for message in socket:
        await socket.send(message)


async def layouts(socket: ServerConnection) -> None:
    value = {"text": "ä\u2028", "list": [1, 2.5, None, True], "nested": {"a": {}}}
    for options in (
        {},
        {"ensure_ascii": False},
        {"separators": (",", ":")},
        {"indent": 2},
        {"sort_keys": True},
    ):
        text = json.dumps(value, **options)
        await socket.send(text)
        await socket.send(text + "\n")
        await socket.send(text.encode())
    for message in ("", "plain", "line\r\nline\n", "a\0b", "[]", '{"a":1,"a":2}', "NaN", "{broken"):
        await socket.send(message)
        await socket.send(message.encode())
    await socket.send(bytes(range(256)))


async def push(socket: ServerConnection) -> None:
    async def tick() -> None:
        for number in range(12):
            await socket.send(json.dumps({"tick": number}))
            await asyncio.sleep(0.004)
        await socket.close(1000, "no more")

    ticking = asyncio.create_task(tick())
    async for message in socket:
        await socket.send(f"heard {message}")
    await ticking


async def fragments(socket: ServerConnection) -> None:
    await socket.send(["one ", "two ", "thrée"])
    await socket.send([b"1", b"\xff"])
    await socket.send("x" * 300_000)
    await echo(socket)


async def refuse_later(socket: ServerConnection) -> None:
    await socket.send("soon")
    await socket.recv()
    await socket.close(4001, "törn down")


async def abort(socket: ServerConnection) -> None:
    await socket.send("last words")
    await socket.recv()
    socket.transport.abort()


async def invalid_text(socket: ServerConnection) -> None:
    await socket.send(b"\xff\xfe", text=True)
    await socket.wait_closed()


async def pinged(socket: ServerConnection) -> None:
    await (await socket.ping(b"are you there"))
    await socket.send("you are")
    await echo(socket)


async def login(socket: ServerConnection) -> None:
    await socket.recv()
    await socket.send(json.dumps({"access_token": TOKEN}))
    await socket.send(f"Authorization: Bearer {TOKEN}")
    await socket.send(f'{{"access_token": "{TOKEN}"}}'.encode())
    await socket.send(b"\xff\x00 " + TOKEN.encode())
    await socket.send([TOKEN[:9], TOKEN[9:]])
    await echo(socket)


async def first_fails(socket: ServerConnection) -> None:
    """The first connection fails, the second one works."""
    _visits.append(1)
    if len(_visits) % 2:
        await socket.close(1013, "try again")
        return
    await socket.send("welcome back")
    await socket.wait_closed()


async def count(socket: ServerConnection) -> None:
    """Says how often it was visited."""
    _visits.append(1)
    await socket.send(str(len(_visits)))
    await socket.wait_closed()


_visits: list[int] = []


PATHS = {
    "/echo": echo,
    "/layouts": layouts,
    "/push": push,
    "/fragments": fragments,
    "/refuse-later": refuse_later,
    "/abort": abort,
    "/invalid-text": invalid_text,
    "/pinged": pinged,
    "/login": login,
    "/first-fails": first_fails,
    "/count": count,
}


async def _handle(socket: ServerConnection) -> None:
    assert socket.request is not None
    with contextlib.suppress(ConnectionClosed):
        await PATHS[socket.request.path.partition("?")[0]](socket)


async def _answer_request(socket: ServerConnection, request: Request) -> Response | None:
    path = request.path.partition("?")[0]
    if path == "/forbidden":
        answer = socket.respond(HTTPStatus.FORBIDDEN, f"not you\ntoken={TOKEN}\n")
        answer.headers["Set-Cookie"] = f"session={TOKEN}"
        return answer
    if path == "/gone":
        return socket.respond(HTTPStatus.GONE, "not any more\n")
    if path == "/redirect":
        return Response(302, "Found", Headers([("Location", "/echo"), ("Content-Length", "0")]))
    if path == "/slow":
        await socket.wait_closed()
    return None


class Server:
    """The addresses of a running server."""

    def __init__(self, port: int, raw_port: int) -> None:
        self.port = port
        self.base = f"ws://127.0.0.1:{port}"
        self.raw = f"ws://127.0.0.1:{raw_port}"
        """Answers every handshake with something that is not HTTP."""


@contextlib.contextmanager
def serving() -> Iterator[Server]:
    """A server in a thread of its own; it is gone after the block."""
    loop = asyncio.new_event_loop()
    started: threading.Event = threading.Event()
    found: list[Server] = []
    stop = asyncio.Event()
    _visits.clear()

    async def garbage(reader: Any, writer: Any) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"hello\r\n\r\n")
        writer.close()

    async def run() -> None:
        logger = logging.getLogger("websocket-test-server")
        logger.setLevel(logging.CRITICAL)
        raw = await asyncio.start_server(garbage, "127.0.0.1", 0)
        async with (
            raw,
            serve(
                _handle,
                "127.0.0.1",
                0,
                process_request=_answer_request,
                select_subprotocol=lambda _, offered: offered[-1] if offered else None,
                logger=logger,
                close_timeout=1,
            ) as server,
        ):
            ports = [next(iter(each.sockets)).getsockname()[1] for each in (server, raw)]
            found.append(Server(*ports))
            started.set()
            await stop.wait()
            server.close(close_connections=True)

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()))
    thread.start()
    assert started.wait(30)
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(60)
        loop.close()
