"""Programs that talk over WebSockets, each in two forms; they return what they saw."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import Any, TypeAlias

from websocket_server import Server
from websockets.exceptions import ConnectionClosed, ConnectionClosedError, WebSocketException
from websockets.sync.client import ClientConnection

Connect: TypeAlias = Callable[..., Any]
Log: TypeAlias = list[Any]
AsyncProgram: TypeAlias = Callable[[Connect, Server, Log], Awaitable[None]]
SyncProgram: TypeAlias = Callable[[Connect, Server, Log], None]


def seen(error: BaseException | None) -> Any:
    """What a program can see of an exception."""
    if error is None or isinstance(error, asyncio.CancelledError):  # why a timeout was noticed
        return None
    attributes = {
        name: _seen_response(value) if name == "response" else value
        for name, value in vars(error).items()
    }
    return type(error), str(error), attributes, seen(error.__cause__)


def _seen_response(response: Any) -> Any:
    headers = [pair for pair in response.headers.raw_items() if pair[0] not in NEW_EACH_TIME]
    return response.status_code, response.reason_phrase, headers, bytes(response.body or b"")


NEW_EACH_TIME = ("Date", "Sec-WebSocket-Key", "Sec-WebSocket-Accept")


ASYNC: dict[str, AsyncProgram] = {}
SYNC: dict[str, SyncProgram] = {}


def on_loop(program: AsyncProgram) -> AsyncProgram:
    ASYNC[program.__name__.removeprefix("async_")] = program
    return program


def in_threads(program: SyncProgram) -> SyncProgram:
    SYNC[program.__name__.removeprefix("sync_")] = program
    return program


@on_loop
async def async_messages(connect: Connect, server: Server, log: Log) -> None:
    async with connect(f"{server.base}/layouts") as socket:
        async for message in socket:
            log.append(message)
    log.append((socket.state, socket.close_code, socket.close_reason))


@in_threads
def sync_messages(connect: Connect, server: Server, log: Log) -> None:
    with connect(f"{server.base}/layouts") as socket:
        log.extend(socket)
    log.append((socket.state, socket.close_code, socket.close_reason))


SENT = ("text", b"bytes \xff", bytearray(b"ab"), memoryview(b"cd"), '{"b": 1, "a": [2]}', "", b"")


@on_loop
async def async_kinds_of_sends(connect: Connect, server: Server, log: Log) -> None:
    async with connect(f"{server.base}/echo") as socket:
        for message in SENT:
            await socket.send(message)
            log.append(await socket.recv())
        for message, text in (("text", False), (b"bytes", True), ("both", True)):
            await socket.send(message, text=text)
            log.append(await socket.recv())
        for decode in (True, False, None):
            await socket.send("ä")
            log.append(await socket.recv(decode=decode))
            await socket.send(b"\xc3\xa4")
            log.append(await socket.recv(decode))
        for wrong in ({"a": 1}, 5, None):
            try:
                await socket.send(wrong)
            except TypeError as error:
                log.append(seen(error))


@in_threads
def sync_kinds_of_sends(connect: Connect, server: Server, log: Log) -> None:
    with connect(f"{server.base}/echo") as socket:
        for message in SENT:
            socket.send(message)
            log.append(socket.recv())
        for message, text in (("text", False), (b"bytes", True), ("both", True)):
            socket.send(message, text=text)
            log.append(socket.recv(timeout=10))
        for decode in (True, False, None):
            socket.send("ä")
            log.append(socket.recv(decode=decode))
            socket.send(b"\xc3\xa4")
            log.append(socket.recv(10, decode))
        for wrong in ({"a": 1}, 5, None):
            try:
                socket.send(wrong)
            except TypeError as error:
                log.append(seen(error))


async def _letters() -> AsyncIterator[str]:
    for letter in "abc":
        await asyncio.sleep(0)
        yield letter


@on_loop
async def async_fragments(connect: Connect, server: Server, log: Log) -> None:
    async with connect(f"{server.base}/fragments") as socket:
        for decode in (None, False):
            log.append([fragment async for fragment in socket.recv_streaming(decode)])
        log.append(await socket.recv())
        sent: tuple[Any, ...] = (["a", "b"], _letters(), (part for part in (b"1", b"2")), [])
        for fragments in sent:
            await socket.send(fragments)
        for _ in range(3):
            log.append(await socket.recv())
        await socket.send([b"x" * 300_000, b"y" * 300_000])
        log.append(await socket.recv())
        reading = socket.recv_streaming()
        await socket.send("two readers")
        log.append(await anext(reading))
        await _note(log, socket.recv())
        try:
            await socket.send(["a", b"b"])
        except TypeError as error:
            log.append(seen(error))
        await _note(log, socket.send("too late"))


@in_threads
def sync_fragments(connect: Connect, server: Server, log: Log) -> None:
    with connect(f"{server.base}/fragments") as socket:
        for decode in (None, False):
            log.append(list(socket.recv_streaming(decode)))
        log.append(socket.recv())
        sent: tuple[Iterable[Any], ...] = (["a", "b"], (part for part in (b"1", b"2")), [])
        for fragments in sent:
            socket.send(fragments)
        for _ in range(2):
            log.append(socket.recv())
        socket.send([b"x" * 300_000, b"y" * 300_000])
        log.append(socket.recv())
        reading = socket.recv_streaming()
        socket.send("two readers")
        log.append(next(reading))
        _note_sync(log, socket.recv)
        try:
            socket.send(["a", b"b"])
        except TypeError as error:
            log.append(seen(error))
        _note_sync(log, lambda: socket.send("too late"))


class OwnError(Exception):
    """An exception of the program."""


def _broken() -> Iterator[str]:
    yield "whole"
    raise OwnError("mine") from LookupError("deeper")


async def _broken_later() -> AsyncIterator[str]:
    for part in _broken():
        yield part


@on_loop
async def async_broken_fragments(connect: Connect, server: Server, log: Log) -> None:
    for fragments in (_broken(), _broken_later(), ["a", 5], [6]):
        async with connect(f"{server.base}/echo") as socket:
            await _note(log, socket.send(fragments))
            log.append((socket.state, socket.close_code))


@in_threads
def sync_broken_fragments(connect: Connect, server: Server, log: Log) -> None:
    for fragments in (_broken(), ["a", 5], [6]):
        with connect(f"{server.base}/echo") as socket:
            try:
                socket.send(fragments)
            except (OwnError, TypeError) as error:
                log.append(seen(error))
            log.append(socket.state)


async def _note(log: Log, call: Awaitable[Any]) -> None:
    try:
        log.append(await call)
    except Exception as error:
        log.append(seen(error))


def _note_sync(log: Log, call: Callable[[], Any]) -> None:
    try:
        log.append(call())
    except Exception as error:
        log.append(seen(error))


@on_loop
async def async_what_is_known(connect: Connect, server: Server, log: Log) -> None:
    options: dict[str, Any] = {
        "subprotocols": ["chat.v1"],
        "origin": "http://me",
        "compression": None,
    }
    headers = iter([("X-Trace", "1"), ("X-Trace", "2")])
    async with connect(f"{server.base}/echo?q=1", additional_headers=headers, **options) as socket:
        log.append(_known(socket))
        await (await socket.ping())
        log.append(socket.latency > 0)
        await socket.close(1001, "leaving")
        await socket.wait_closed()
        log.append((socket.state, socket.close_code, socket.close_reason))


@in_threads
def sync_what_is_known(connect: Connect, server: Server, log: Log) -> None:
    options: dict[str, Any] = {
        "subprotocols": ["chat.v1"],
        "origin": "http://me",
        "compression": None,
    }
    headers = iter([("X-Trace", "1"), ("X-Trace", "2")])
    with connect(f"{server.base}/echo?q=1", additional_headers=headers, **options) as socket:
        log.append(_known(socket))
        assert socket.ping().wait()
        log.append(socket.latency > 0)
        socket.close(1001, "leaving")
        if hasattr(ClientConnection, "wait_closed"):  # since websockets 17
            socket.wait_closed()
        log.append((socket.state, socket.close_code, socket.close_reason))


def _known(socket: Any) -> list[Any]:
    return [
        socket.state,
        socket.close_code,
        socket.close_reason,
        socket.subprotocol,
        socket.latency,
        socket.id == socket.id,
        [type(part) for part in socket.local_address],
        socket.remote_address,
        socket.request.path,
        socket.response.status_code,
        socket.response.reason_phrase,
        [pair for pair in socket.request.headers.raw_items() if pair[0] not in NEW_EACH_TIME],
        [pair for pair in socket.response.headers.raw_items() if pair[0] not in NEW_EACH_TIME],
    ]


@on_loop
async def async_pings(connect: Connect, server: Server, log: Log) -> None:
    async with connect(f"{server.base}/pinged") as socket:
        log.append(await socket.recv())
        for data in (None, "text", b"bytes", bytearray(b"more")):
            pong = await socket.ping(data)
            log.append(await asyncio.wait_for(pong, 10) > 0)
            log.append(pong.done())
        await socket.pong()
        await socket.pong("unasked")
        await _note(log, socket.ping(5))
        ignored = await socket.ping("nobody waits")
        await socket.send("still here")
        log.append(await socket.recv())
        del ignored


@in_threads
def sync_pings(connect: Connect, server: Server, log: Log) -> None:
    with connect(f"{server.base}/pinged") as socket:
        log.append(socket.recv())
        for data in (None, "text", b"bytes", bytearray(b"more")):
            pong = socket.ping(data)
            log.append(pong.wait(10))
            log.append(pong.is_set())
        socket.pong()
        socket.pong("unasked")
        _note_sync(log, lambda: socket.ping(5))
        socket.ping("nobody waits")
        socket.send("still here")
        log.append(socket.recv())


@on_loop
async def async_server_closes(connect: Connect, server: Server, log: Log) -> None:
    async with connect(f"{server.base}/refuse-later") as socket:
        log.append(await socket.recv())
        await socket.send("go on")
        for _ in range(2):
            await _note(log, socket.recv())
        await _note(log, socket.send("anyone there?"))
        await _note(log, socket.ping())
        log.append((socket.state, socket.close_code, socket.close_reason))
    try:
        async for message in socket:
            log.append(message)
    except ConnectionClosedError as error:
        log.append(seen(error))


@in_threads
def sync_server_closes(connect: Connect, server: Server, log: Log) -> None:
    with connect(f"{server.base}/refuse-later") as socket:
        log.append(socket.recv())
        socket.send("go on")
        for _ in range(2):
            _note_sync(log, socket.recv)
        _note_sync(log, lambda: socket.send("anyone there?"))
        _note_sync(log, socket.ping)
        log.append((socket.state, socket.close_code, socket.close_reason))
    try:
        log.extend(socket)
    except ConnectionClosedError as error:
        log.append(seen(error))


@on_loop
async def async_abnormal_closure(connect: Connect, server: Server, log: Log) -> None:
    async with connect(f"{server.base}/abort") as socket:
        pong = await socket.ping("before")
        await pong
        await socket.send("go")
        try:
            async for message in socket:
                log.append(message)
        except ConnectionClosed as error:
            log.append((type(error), error.rcvd, error.sent))
        log.append((socket.close_code, socket.close_reason))


@in_threads
def sync_abnormal_closure(connect: Connect, server: Server, log: Log) -> None:
    with connect(f"{server.base}/abort") as socket:
        socket.send("go")
        try:
            log.extend(socket)
        except ConnectionClosed as error:
            log.append((type(error), error.rcvd, error.sent))
        log.append((socket.close_code, socket.close_reason))


@on_loop
async def async_invalid_text(connect: Connect, server: Server, log: Log) -> None:
    async with connect(f"{server.base}/invalid-text") as socket:
        await _note(log, socket.recv())
        log.append((socket.state, socket.close_code))
    async with connect(f"{server.base}/invalid-text") as socket:
        log.append(await socket.recv(decode=False))


@in_threads
def sync_invalid_text(connect: Connect, server: Server, log: Log) -> None:
    with connect(f"{server.base}/invalid-text") as socket:
        _note_sync(log, socket.recv)
        log.append((socket.state, socket.close_code))
    with connect(f"{server.base}/invalid-text") as socket:
        log.append(socket.recv(decode=False))


@on_loop
async def async_leaving_with_an_error(connect: Connect, server: Server, log: Log) -> None:
    try:
        async with connect(f"{server.base}/echo") as socket:
            raise LookupError("mine")
    except LookupError as error:
        log.append(seen(error))
    log.append((socket.state, socket.close_code))


@in_threads
def sync_leaving_with_an_error(connect: Connect, server: Server, log: Log) -> None:
    try:
        with connect(f"{server.base}/echo") as socket:
            raise LookupError("mine")
    except LookupError as error:
        log.append(seen(error))
    log.append((socket.state, socket.close_code))


@on_loop
async def async_timeouts(connect: Connect, server: Server, log: Log) -> None:
    async with connect(f"{server.base}/echo") as socket:
        for turn in range(3):
            try:
                await asyncio.wait_for(socket.recv(), 0.02)
            except TimeoutError as error:
                log.append(type(error))
            reading = asyncio.create_task(socket.recv())
            await asyncio.sleep(0)
            reading.cancel()
            await asyncio.wait([reading])
            await socket.send(f"turn {turn}")
            log.append(await socket.recv())
            log.append(reading.cancelled())


@in_threads
def sync_timeouts(connect: Connect, server: Server, log: Log) -> None:
    with connect(f"{server.base}/echo") as socket:
        for turn in range(3):
            _note_sync(log, lambda: socket.recv(timeout=0.02))
            _note_sync(log, lambda: socket.recv(timeout=0))
            socket.send(f"turn {turn}")
            log.append(socket.recv(timeout=10))
        log.append(socket.state)


@on_loop
async def async_refused_handshakes(connect: Connect, server: Server, log: Log) -> None:
    async with connect(f"{server.base}/redirect") as socket:
        log.append((socket.request.path, socket.response.status_code))
    for url, options in _refused(server):
        try:
            async with connect(url, **options):
                log.append("open")
        except (WebSocketException, OSError, ValueError) as error:
            log.append(seen(error))


@in_threads
def sync_refused_handshakes(connect: Connect, server: Server, log: Log) -> None:
    for url, options in _refused(server):
        try:
            with connect(url, **options):
                log.append("open")
        except (WebSocketException, OSError, ValueError) as error:
            log.append(seen(error))


def _refused(server: Server) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{server.base}/gone", {}),
        (f"{server.raw}/", {}),
        (f"{server.base}/slow", {"open_timeout": 0.3}),
        ("ws://127.0.0.1:1/", {}),
        ("http://127.0.0.1/", {}),
        (f"{server.base}/echo", {"ssl": True}),
    ]


@on_loop
async def async_reconnecting(connect: Connect, server: Server, log: Log) -> None:
    async for socket in connect(f"{server.base}/first-fails"):
        try:
            log.append(await socket.recv())
        except ConnectionClosed as error:
            log.append(type(error))
            continue
        break
    await socket.close()


@on_loop
async def async_without_a_block(connect: Connect, server: Server, log: Log) -> None:
    socket = await connect(f"{server.base}/echo")
    await socket.send("hello")
    log.append(await socket.recv())
    closing = asyncio.create_task(socket.wait_closed())
    await socket.close()
    await closing
    log.append(socket.state)


@on_loop
async def async_pushes_while_sending(connect: Connect, server: Server, log: Log) -> None:
    async with connect(f"{server.base}/push") as socket:

        async def talk() -> None:
            for word in ("one", "two", "three"):
                await socket.send(word)
                log.append(f"sent {word}")
                await asyncio.sleep(0.01)

        talking = asyncio.create_task(talk())
        async for message in socket:
            log.append(message)
        await talking


@on_loop
async def async_many_at_once(connect: Connect, server: Server, log: Log) -> None:
    async def talk(number: int) -> None:
        async with connect(f"{server.base}/echo?{number}") as socket:
            for turn in range(4):
                await socket.send(f"{number} {turn}")
                log.append(await socket.recv())

    await asyncio.gather(*(talk(number) for number in range(16)))
