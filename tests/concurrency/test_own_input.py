"""Input and output of the program's own, on the loop, really happens while the tape is replayed."""

import asyncio
import multiprocessing
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
import uvloop

from concurrency.sessions import BOUND, record, replay, run_on
from vcr_gen import DivergenceError

LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop] | None] = {
    "asyncio": None,
    "uvloop": uvloop.new_event_loop,
}


async def serves_itself(world: Any) -> list[str]:
    """A server of its own answers from the world, and a client of its own asks it."""
    log: list[str] = []
    handled = asyncio.Event()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            writer.write(f"{await world.fetch(line.decode().strip())}\n".encode())
        writer.close()
        await writer.wait_closed()
        handled.set()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        for key in "abc":
            writer.write(f"{key}\n".encode())
            async with asyncio.timeout(60):
                log.append((await reader.readline()).decode())
            log.append(await world.fetch(f"{key} was heard"))
        writer.close()
        await writer.wait_closed()
        await handled.wait()
    return log


async def starts_processes(world: Any) -> list[str]:
    log: list[str] = []
    for key in "ab":
        said = await world.fetch(key)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-S", "-c", f"print({said!r})", stdout=asyncio.subprocess.PIPE
        )
        out, _ = await asyncio.wait_for(process.communicate(), 60)
        log.append(await world.fetch(f"a process said {out.decode().strip()}"))
    return log


async def computes_in_processes(world: Any) -> list[str]:
    log: list[str] = []
    loop = asyncio.get_running_loop()

    async def one(key: str) -> None:
        said = await world.fetch(key)
        length = await loop.run_in_executor(pool, len, said)
        log.append(f"{key} {length}")
        log.append(await world.fetch(f"{key} again"))

    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        await asyncio.gather(*(one(key) for key in "abc"))
    return log


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("program", [serves_itself, starts_processes, computes_in_processes])
def test_it_comes_while_the_loop_is_idle(program: Any, loop: str, tape: Path) -> None:
    recorded = record(tape, program, loop_factory=LOOPS[loop])
    assert replay(tape, program, loop_factory=LOOPS[loop], patience=20.0) == recorded


@pytest.mark.parametrize("loop", LOOPS)
def test_a_program_that_waits_for_input_which_never_comes_diverges(loop: str, tape: Path) -> None:
    async def deaf(world: Any) -> None:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await reader.read()
            finally:
                writer.close()

        async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            try:
                await world.fetch(str(await reader.readline()))
            finally:
                writer.close()

    record(tape, lambda world: world.fetch("a"))
    began = time.monotonic()
    with pytest.raises(DivergenceError, match="never made the call"):
        replay(tape, deaf, loop_factory=LOOPS[loop], patience=0.3)
    assert time.monotonic() - began < BOUND


def test_it_comes_on_trio(tape: Path) -> None:
    async def program(world: Any) -> list[str]:
        log: list[str] = []

        async def handle(stream: trio.SocketStream) -> None:
            async for data in stream:
                await stream.send_all((await world.fetch(data.decode())).encode())

        async with trio.open_nursery() as nursery:
            listeners = await nursery.start(trio.serve_tcp, handle, 0)
            stream = await trio.testing.open_stream_to_socket_listener(listeners[0])
            async with stream:
                for key in "abc":
                    await stream.send_all(key.encode())
                    log.append((await stream.receive_some()).decode())
            nursery.cancel_scope.cancel()
        return log

    recorded = run_on("trio", tape, "all", program)
    assert run_on("trio", tape, "none", program, patience=20.0) == recorded


@pytest.mark.parametrize("loop", LOOPS)
def test_time_outs_that_begin_when_a_thread_wakes_the_loop(tape: Path, loop: str) -> None:
    """The tape does not know when it did, but when the program went on to its next call."""

    async def program(world: Any) -> list[str]:
        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[str | None] = asyncio.Queue()
        log: list[str] = []

        def read() -> None:
            for key in "abc":
                time.sleep(0.1)
                loop.call_soon_threadsafe(lines.put_nowait, world.peek(key))
            loop.call_soon_threadsafe(lines.put_nowait, None)

        reader = threading.Thread(target=read)
        reader.start()
        while (line := await lines.get()) is not None:
            try:
                log.append(await asyncio.wait_for(world.fetch(line), 0.05))
            except TimeoutError:
                log.append(f"{line} came late")
        reader.join()
        return log

    recorded = record(tape, program, loop_factory=LOOPS[loop])
    for _ in range(3):
        assert recorded == replay(tape, program, loop_factory=LOOPS[loop])
