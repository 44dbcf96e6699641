"""WebSockets on a cassette: what is stored, compared, refused, and never waited for."""

import asyncio
import inspect
import json
import threading
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tape_data import read_tape
from websocket_programs import Connect
from websocket_server import TOKEN, Server, serving
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosedOK, InvalidStatus
from websockets.sync.client import ClientConnection as SyncClientConnection
from websockets.sync.client import connect as sync_live_connect

from vcr_gen import Cassette, DivergenceError, UnusedRuleWarning
from vcr_gen.boundaries.http import HttpMatch, sync_websocket_connect, websocket_connect
from vcr_gen.errors import UsageError, VerificationError


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


async def chat(
    connect: Connect, base: str, name: str = "Ada", query: str = "", **options: Any
) -> None:
    async with connect(f"{base}/echo{query}", **options) as socket:
        await socket.send(json.dumps({"type": "greet", "user": {"name": name}}))
        assert '"greet"' in await socket.recv()


def sync_chat(
    connect: Connect, base: str, name: str = "Ada", query: str = "", **options: Any
) -> None:
    with connect(f"{base}/echo{query}", **options) as socket:
        socket.send(json.dumps({"type": "greet", "user": {"name": name}}))
        assert '"greet"' in socket.recv()


def session(
    tape: Path,
    mode: str,
    base: str,
    *,
    match: HttpMatch | None = None,
    sync: bool = False,
    **said: Any,
) -> None:
    """One chat on a cassette."""

    async def on_loop() -> None:
        with Cassette(tape, mode) as cassette:
            await chat(websocket_connect(cassette, match=match), base, **said)

    if not sync:
        asyncio.run(on_loop())
        return
    with Cassette(tape, mode) as cassette:
        sync_chat(sync_websocket_connect(cassette, match=match), base, **said)


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "message": ({"name": "Eve"}, "message.json.user.name"),
    "query": ({"query": "?b=2"}, "request.url"),
    "header": ({"additional_headers": {"X-Me": "2"}}, "request.headers.x-me"),
    "subprotocol": ({"subprotocols": ["v2"]}, "request.headers.sec-websocket-protocol"),
    "origin": ({"origin": "http://here"}, "request.headers.origin"),
}


@pytest.mark.parametrize("sync", [False, True], ids=["tasks", "threads"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_reported_by_field(
    tmp_path: Path, server: Server, change: str, sync: bool
) -> None:
    said, place = CHANGES[change]
    session(tmp_path / "tape.yaml", "all", server.base, sync=sync)
    with pytest.raises(DivergenceError) as raised:
        session(tmp_path / "tape.yaml", "none", server.base, sync=sync, **said)
    [difference] = raised.value.divergence.differences
    assert difference.path.replace("['", ".").replace("']", "") == place


@pytest.mark.parametrize("sync", [False, True], ids=["tasks", "threads"])
def test_a_failure_points_at_the_line_of_the_user(
    tmp_path: Path, server: Server, sync: bool
) -> None:
    session(tmp_path / "tape.yaml", "all", server.base, sync=sync)
    with pytest.raises(DivergenceError) as raised:
        session(tmp_path / "tape.yaml", "none", server.base, sync=sync, name="Eve")
    program = sync_chat if sync else chat
    lines, first = inspect.getsourcelines(program)
    number = first + next(n for n, line in enumerate(lines) if "send(" in line)
    place = f"test_websocket_sessions.py:{number} in {program.__name__}"
    text = str(raised.value)
    assert place in text
    assert 'websocket.send({"user": {"name": "Eve"}, "type": "greet"})' in text
    assert f"ws.connect({server.base}/echo)" in text
    last = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert last.name == program.__name__


def test_a_change_of_the_handshake_names_the_url(tmp_path: Path, server: Server) -> None:
    session(tmp_path / "tape.yaml", "all", server.base)
    with pytest.raises(DivergenceError, match=f"ws {server.base}/echo was called with different"):
        session(tmp_path / "tape.yaml", "none", server.base, origin="http://here")


@pytest.mark.parametrize("sync", [False, True], ids=["tasks", "threads"])
def test_handshakes_are_loosened_as_requests(tmp_path: Path, server: Server, sync: bool) -> None:
    match = HttpMatch(ignore_headers=["x-trace"], ignore_query=["nonce"])
    first = {"query": "?nonce=1&a=1", "additional_headers": {"X-Trace": "1"}}
    second = {"query": "?a=1&nonce=2", "additional_headers": {"X-Trace": "2"}}
    session(tmp_path / "tape.yaml", "all", server.base, sync=sync, **first)
    with warnings.catch_warnings(action="error", category=UnusedRuleWarning):
        session(tmp_path / "tape.yaml", "none", server.base, sync=sync, match=match, **second)


def test_the_server_is_verified(tmp_path: Path, server: Server) -> None:
    async def listen(mode: str) -> None:
        with Cassette(tmp_path / "tape.yaml", mode) as cassette:
            async with websocket_connect(cassette)(f"{server.base}/echo") as socket:
                await (await socket.ping())
                await socket.send("hello")
                await socket.recv()
                await socket.ping()

    asyncio.run(listen("all"))
    asyncio.run(listen("verify"))


def test_what_the_server_says_differently_fails_the_verification(
    tmp_path: Path, server: Server
) -> None:
    async def one(mode: str, path: str) -> None:
        with Cassette(tmp_path / "one.yaml", mode) as cassette:
            match = HttpMatch(ignore_query=["*"])
            connect = websocket_connect(cassette, match=match)
            async with connect(f"{server.base}/count?{path}") as socket:
                await socket.recv()

    asyncio.run(one("all", "a=1"))
    with pytest.raises(VerificationError, match=r"\$item"):
        asyncio.run(one("verify", "a=2"))


def test_messages_are_stored_as_data_where_that_gives_the_same_text(
    tmp_path: Path, server: Server
) -> None:
    sent = ['{"a": [1, 2]}', '{"a":  1}', "plain", b'{"b":1}', b"text", b"\x00\xff", '{"c":NaN}']

    async def program() -> None:
        with Cassette(tmp_path / "tape.yaml", "all") as cassette:
            async with websocket_connect(cassette)(f"{server.base}/echo") as socket:
                for message in sent:
                    await socket.send(message)
                    assert await socket.recv() == message

    asyncio.run(program())
    tape = read_tape(tmp_path / "tape.yaml")
    asked = [entry["args"]["message"] for entry in tape if entry.get("of") == "websocket.send"]
    [stream] = [entry for entry in tape if entry.get("of") == "websocket.receive"]
    items = [*stream.get("items", []), *(entry for entry in tape if "item" in entry)]
    assert asked == [
        {"json": {"a": [1, 2]}},
        {"json": {"a": 1}},
        "plain",
        {"binary": {"json": {"b": 1}}},
        {"binary": "text"},
        {"$type": "bytes", "$value": {"$base64": "AP8="}},
        '{"c":NaN}',
    ]
    assert [item["value"] for item in items] == [
        {"json": {"a": [1, 2]}, "layout": "spaced"},
        {"text": '{"a":  1}'},
        {"text": "plain"},
        {"binary": {"json": {"b": 1}}},
        {"binary": "text"},
        {"binary": {"$type": "bytes", "$value": {"$base64": "AP8="}}},
        {"text": '{"c":NaN}'},
    ]


async def _log_in(connect: Connect, base: str, token: str) -> list[str | bytes]:
    url = f"{base.replace('//', f'//me:{token}@')}/login?api_key={token}"
    headers = {"X-Api-Key": token, "Cookie": f"session={token}"}
    async with connect(url, additional_headers=headers) as socket:
        await socket.send(json.dumps({"password": token}))
        found = [await socket.recv() for _ in range(4)]
        parts = [fragment async for fragment in socket.recv_streaming()]
        for message in found:
            await socket.send(message)
            assert await socket.recv() == message
        found.append("".join(parts))
        await socket.send([f"Bearer {token[:9]}", token[9:]])
        await socket.recv()
        await (await socket.ping(token))
        await socket.close(1000, f"token={token}")
    try:
        await connect(f"{base}/forbidden")
    except InvalidStatus as error:
        found += [str(error.response.headers["Set-Cookie"]), bytes(error.response.body or b"")]
    return found


def test_no_credential_is_on_disk(tmp_path: Path, server: Server) -> None:
    tape = tmp_path / "tape.yaml"

    async def program(mode: str, token: str) -> list[str | bytes]:
        with Cassette(tape, mode) as cassette:
            return await _log_in(websocket_connect(cassette), server.base, token)

    recorded = asyncio.run(program("all", TOKEN))
    assert all(TOKEN in str(message) for message in recorded)
    text = tape.read_text("utf-8")
    assert TOKEN not in text
    assert TOKEN[9:] not in text
    replayed = asyncio.run(program("none", "sk-live-another1another2"))
    assert [type(message) for message in replayed] == [type(message) for message in recorded]
    assert all("<redacted:" in str(message) for message in replayed)


def test_a_program_that_waits_for_what_does_not_come_is_ended(
    tmp_path: Path, server: Server
) -> None:
    async def program(mode: str, *, asks: bool) -> None:
        with Cassette(tmp_path / "tape.yaml", mode) as cassette:
            async with websocket_connect(cassette)(f"{server.base}/echo") as socket:
                if asks:
                    await socket.send("question")
                await socket.recv()

    asyncio.run(program("all", asks=True))
    with pytest.raises(DivergenceError):
        asyncio.run(program("none", asks=False))


def test_a_thread_that_waits_for_what_does_not_come_is_ended(
    tmp_path: Path, server: Server
) -> None:
    def program(mode: str, *, asks: bool) -> None:
        with (
            Cassette(tmp_path / "tape.yaml", mode, patience=0.5) as cassette,
            sync_websocket_connect(cassette)(f"{server.base}/echo") as socket,
        ):
            if asks:
                socket.send("question")
            socket.recv()

    program("all", asks=True)
    with pytest.raises(DivergenceError):
        program("none", asks=False)


def test_a_cancelled_handshake_is_cancelled_again(tmp_path: Path) -> None:
    async def program(mode: str, server: Server) -> list[str]:
        log = []
        with Cassette(tmp_path / "tape.yaml", mode) as cassette:
            connect = websocket_connect(cassette)
            try:
                await asyncio.wait_for(connect(f"{server.base}/slow"), 0.05)
            except TimeoutError:
                log.append("too slow")
            async with connect(f"{server.base}/echo") as socket:
                await socket.send("faster")
                log.append(await socket.recv())
        return log

    with serving() as server:
        assert asyncio.run(program("all", server)) == ["too slow", "faster"]
    assert asyncio.run(program("none", server)) == ["too slow", "faster"]


@pytest.mark.parametrize("in_frames", [True, False])
def test_a_reader_that_leaves_takes_no_message_with_it(tmp_path: Path, in_frames: bool) -> None:
    async def program(mode: str, server: Server) -> tuple[bool, list[Any]]:
        with Cassette(tmp_path / "tape.yaml", mode) as cassette:
            async with websocket_connect(cassette)(f"{server.base}/echo") as socket:
                await socket.send("for whom")
                reading = asyncio.create_task(socket.recv())
                for _ in range(500):  # the message comes, but not its turn
                    await asyncio.sleep(0)
                reading.cancel()
                await asyncio.wait([reading])
                left = reading.cancelled()
                await socket.send("next")
                if not left:
                    heard = reading.result().encode()
                elif in_frames:
                    heard = b"".join([part async for part in socket.recv_streaming(False)])
                else:
                    heard = await socket.recv(decode=False)
                following = [part async for part in socket.recv_streaming()]
                return left, [heard, "".join(following)]

    with serving() as server:
        recorded = asyncio.run(asyncio.wait_for(program("all", server), 60))
    assert recorded[1] == [b"for whom", "next"]
    assert asyncio.run(program("none", server)) == recorded


def test_keepalive_pings_are_not_the_program_s(tmp_path: Path) -> None:
    async def program(mode: str, server: Server) -> list[Any]:
        log: list[Any] = []
        with Cassette(tmp_path / "tape.yaml", mode) as cassette:
            connect = websocket_connect(cassette)
            async with connect(f"{server.base}/echo", ping_interval=0.01) as socket:
                for turn in range(4):
                    await asyncio.sleep(0.02)
                    await socket.send(str(turn))
                    log.append(await socket.recv())
                log.append(socket.latency > 0)
        return log

    with serving() as server:
        recorded = asyncio.run(program("all", server))
    assert asyncio.run(program("none", server)) == recorded == ["0", "1", "2", "3", True]


def test_threads_have_their_own_connections(tmp_path: Path) -> None:
    def program(mode: str, server: Server) -> dict[int, list[str]]:
        heard: dict[int, list[str]] = {}
        with Cassette(tmp_path / "tape.yaml", mode) as cassette:
            connect = sync_websocket_connect(cassette)

            def talk(number: int) -> None:
                with connect(f"{server.base}/echo?{number}") as socket:
                    for turn in range(4):
                        socket.send(f"{number} {turn}")
                        heard.setdefault(number, []).append(socket.recv(timeout=30))

            threads = [threading.Thread(target=talk, args=(number,)) for number in range(16)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        return heard

    with serving() as server:
        recorded = program("all", server)
    assert recorded == {number: [f"{number} {turn}" for turn in range(4)] for number in range(16)}
    assert program("none", server) == recorded


def test_one_thread_listens_while_another_talks(tmp_path: Path) -> None:
    def program(mode: str, server: Server) -> tuple[list[Any], Any]:
        heard: list[Any] = []
        with (
            Cassette(tmp_path / "tape.yaml", mode) as cassette,
            sync_websocket_connect(cassette)(f"{server.base}/push") as socket,
        ):
            listening = threading.Thread(target=lambda: heard.extend(socket), name="listener")
            listening.start()
            for word in ("one", "two", "three"):
                socket.send(word)
            listening.join()
            end = None
            try:
                socket.recv()
            except ConnectionClosedOK as error:
                end = error.rcvd
        return heard, end

    with serving() as server:
        recorded = program("all", server)
    assert len(recorded[0]) == 15
    assert program("none", server) == recorded


def test_what_is_not_recorded_is_refused(tmp_path: Path, server: Server) -> None:
    async def program() -> None:
        with Cassette(tmp_path / "tape.yaml", "all") as cassette:
            connect = websocket_connect(cassette)
            with pytest.raises(UsageError, match=r"create_connection.*\n\nhint: "):
                connect(f"{server.base}/echo", create_connection=ClientConnection)
            async with connect(f"{server.base}/echo") as socket:
                with pytest.raises(UsageError, match=r"`transport` of a WebSocket.*\n\nhint: "):
                    socket.transport.abort()
                assert not hasattr(socket, "closed")  # of older versions of websockets
                assert isinstance(socket, ClientConnection)

    asyncio.run(program())


def test_a_connection_outside_a_block_warns_as_without_vcr_gen(
    tmp_path: Path, server: Server
) -> None:
    def program(connect: Connect, **options: Any) -> tuple[list[str], bool]:
        with warnings.catch_warnings(record=True, action="always") as caught:
            socket = connect(f"{server.base}/echo", **options)
            socket.send("hello")
            socket.recv()
            socket.close()
        is_ours = isinstance(socket, SyncClientConnection)
        return [f"{each.filename}:{each.lineno} {each.message}" for each in caught], is_ours

    for options in ({}, {"legacy": True}):
        live = program(sync_live_connect, **options)
        for mode in ("all", "none"):
            with Cassette(tmp_path / "tape.yaml", mode) as cassette:
                assert program(sync_websocket_connect(cassette), **options) == live


def test_threads_reconnect_in_a_loop(tmp_path: Path, server: Server) -> None:
    def program(connect: Connect) -> list[Any]:
        log = []
        for socket in connect(f"{server.base}/first-fails", legacy=False):
            log.append(type(socket).__mro__[-2:])
            try:
                log.append(socket.recv())
                break
            except Exception as error:
                log.append(type(error))
        return log

    live = program(sync_live_connect)
    assert "welcome back" in live
    for mode in ("all", "none"):
        with Cassette(tmp_path / "tape.yaml", mode) as cassette:
            assert program(sync_websocket_connect(cassette)) == live


def test_both_clients_share_a_cassette(tmp_path: Path, server: Server) -> None:
    for mode in ("all", "none"):
        with Cassette(tmp_path / "tape.yaml", mode) as cassette:
            sync_chat(sync_websocket_connect(cassette), server.base)
            asyncio.run(chat(websocket_connect(cassette), server.base))
            sync_chat(sync_websocket_connect(cassette), server.base, name="Eve")


def test_a_tape_goes_on_with_new_connections(tmp_path: Path, server: Server) -> None:
    async def program(mode: str, *names: str) -> None:
        with Cassette(tmp_path / "tape.yaml", mode) as cassette:
            for name in names:
                await chat(websocket_connect(cassette), server.base, name)

    asyncio.run(program("all", "Ada"))
    asyncio.run(program("new_episodes", "Ada", "Bob", "Eve"))
    asyncio.run(program("none", "Ada", "Bob", "Eve"))
