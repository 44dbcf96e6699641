"""Requests that a server finds at the same time are served in the order in which they were made."""

import asyncio
import socket
from contextlib import ExitStack
from pathlib import Path

from vcr_world.ports import VcrService, VcrWorld
from world.real import RealWorld

from concurrency.sessions import watchdog
from vcr_gen import Cassette, Driver

REQUESTS = [f"request {number}" for number in range(8)]


class Application:
    def __init__(self, world: VcrWorld) -> None:
        self._world = world
        self.log: list[str] = []

    async def handle(self, request: str) -> str:
        self.log.append(request)
        return await self._world.fetch(request)


async def _serve_simultaneous_requests(service: VcrService) -> None:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answer = await service.handle((await reader.readline()).decode().strip())
        writer.write(answer.encode())
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    address = server.sockets[0].getsockname()
    with ExitStack() as stack:
        clients = []
        for _ in REQUESTS:
            clients.append(stack.enter_context(socket.create_connection(address)))
            await asyncio.sleep(0.01)  # the server accepts it, and waits for the request
        for client, request in zip(clients, REQUESTS, strict=True):
            client.sendall(f"{request}\n".encode())
        for client in clients:
            await asyncio.to_thread(client.recv, 100)
    server.close()
    await server.wait_closed()


async def _session(tape: Path, mode: str) -> list[str]:
    with Cassette(tape, mode) as cassette:
        application = Application(VcrWorld.attach(cassette, RealWorld))
        service = VcrService(cassette=cassette, inner=application)
        if cassette.recording:
            await _serve_simultaneous_requests(service)
        else:
            await Driver(cassette, service).run()
    return application.log


def test_requests_are_served_in_the_order_in_which_they_were_made(tape: Path) -> None:
    with watchdog():
        recorded = asyncio.run(_session(tape, "all"))
        replayed = asyncio.run(_session(tape, "none"))

    assert recorded == replayed == REQUESTS
