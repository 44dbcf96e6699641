"""A process that serves a tape to a real client over its standard streams, a JSON text a line."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from itertools import count
from typing import Any

import anyio
from vcr_link import VcrClient, VcrServer

from vcr_gen import Cassette, DivergenceError, Driver, VcrError


def send(**frame: Any) -> None:
    print(json.dumps(frame), flush=True)


async def lines_by_pipe() -> AsyncIterator[str]:
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    while line := await reader.readline():
        yield line.decode()


async def lines_by_job() -> AsyncIterator[str]:
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield line


async def lines_by_worker() -> AsyncIterator[str]:
    async for line in anyio.wrap_file(sys.stdin):
        yield line


class Remote:
    """The client at the other end, as the driver sees it."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self.answers: dict[str, asyncio.Future[Any]] = {}

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        number = f"s{next(self._numbers)}"
        self.answers[number] = asyncio.get_running_loop().create_future()
        send(id=number, method=method, params=params)
        return await self.answers[number]

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        send(method=method, params=params)


async def answer(server: VcrServer, frame: dict[str, Any]) -> None:
    async def progress(done: int) -> None:
        send(progress=done, of=frame["id"])

    try:
        if "id" not in frame:
            await server.notify(frame["method"], frame["params"])
            return
        result = await server.request(frame["method"], frame["params"], progress)
    except DivergenceError as error:
        send(id=frame.get("id"), error=error.divergence.headline)
    else:
        send(id=frame["id"], result=result)


async def serve(path: str, how: str, strategy: Any) -> None:
    lines = {"pipe": lines_by_pipe, "job": lines_by_job, "worker": lines_by_worker}
    options: Any = {} if strategy == "exact" else {"strategy": strategy, "leftovers": True}
    with Cassette(path, "none", **options) as cassette, cassette.peer(2.0) as peer:
        remote = Remote()
        server = VcrServer(cassette=cassette)
        driver = Driver(cassette, VcrClient(cassette=cassette, inner=remote))
        driving = asyncio.ensure_future(driver.run())
        tasks = set()
        async for line in lines[how]():
            frame = json.loads(line)
            if "method" in frame:
                tasks.add(asyncio.ensure_future(answer(server, frame)))
            else:
                remote.answers.pop(frame["id"]).set_result(frame["result"])
        peer.gone()
        await driving


if __name__ == "__main__":
    try:
        asyncio.run(serve(*sys.argv[1:]))
    except (VcrError, DivergenceError) as error:
        sys.exit(str(error))
