"""A recorded session of a client and its server, and the client that repeats it."""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from vcr_link import VcrClient, VcrServer

from vcr_gen import Cassette

MOCK = Path(__file__).parent / "mock_server.py"
BUSY = 30.0
"""Seconds that a step may take on a busy machine."""


class RealServer:
    """Answers, asks its client back, and reports progress."""

    def __init__(self) -> None:
        self.client: Any = None

    async def request(self, method: str, params: dict[str, Any], progress: Any) -> Any:
        if method == "count":
            for done in range(params["to"]):
                await progress(done)
        if method == "ask":
            return {"said": await self.client.request("question", params)}
        if method == "announce":
            await self.client.notify("changed", {})
        return {"method": method, **params}

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        pass


class RealClient:
    async def request(self, method: str, params: dict[str, Any]) -> Any:
        await asyncio.sleep(0.01)
        return f"answer to {params['text']}"

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        pass


class RealLine:
    def say(self, text: str) -> str:
        return f"{text}!"

    def ask(self, text: str) -> str:
        return f"{text}?"


async def record(path: Path) -> None:
    with Cassette(path, "all") as cassette:
        real = RealServer()
        server = VcrServer(cassette=cassette, inner=real)
        real.client = VcrClient(cassette=cassette, inner=RealClient())

        async def ask(method: str, **params: Any) -> None:
            async def progress(done: int) -> None:
                pass

            await server.request(method, params, progress)

        await ask("hello")
        await server.notify("ready", {})
        await ask("count", to=2)
        await ask("ask", text="why?")
        await ask("announce")
        await ask("goodbye")


class Client:
    """A real client of the mock server's process."""

    def __init__(self, tape: Path, how: str, strategy: str = "exact") -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(MOCK), str(tape), how, strategy],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            text=True,
        )
        self._frames: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._frames.put(json.loads(line))

    def send(self, **frame: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(frame) + "\n")
        self._process.stdin.flush()

    def ask(self, number: int, method: str, **params: Any) -> list[dict[str, Any]]:
        """Send a request; the frames up to its answer."""
        self.send(id=number, method=method, params=params)
        frames = [self.receive()]
        while frames[-1].get("id") != number:
            if "method" in frames[-1] and "id" in frames[-1]:
                text = frames[-1]["params"]["text"]
                self.send(id=frames[-1]["id"], result=f"answer to {text}")
            frames.append(self.receive())
        return frames

    def receive(self) -> dict[str, Any]:
        return self._frames.get(timeout=BUSY)

    def end(self) -> tuple[int, str, float]:
        """Disconnect: the exit code of the process, its stderr, and how long it took to end."""
        began = time.monotonic()
        assert self._process.stdin is not None
        assert self._process.stderr is not None
        self._process.stdin.close()
        said = self._process.stderr.read()
        code = self._process.wait(BUSY)
        self._process.stderr.close()
        self._reader.join(BUSY)
        return code, said, time.monotonic() - began
