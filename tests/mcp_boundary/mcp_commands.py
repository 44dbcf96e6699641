"""Commands and transports of the tests."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from signal import SIGKILL, SIGTERM, Signals
from threading import Thread
from typing import Any

import uvicorn
from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client

PLAIN = (sys.executable, str(Path(__file__).with_name("plain_server.py")))
ALTERED = (sys.executable, str(Path(__file__).with_name("altered_server.py")))
SERVER = (sys.executable, str(Path(__file__).with_name("mcp_server_program.py")))
VCR_GEN = (sys.executable, "-m", "vcr_gen.__main__")


def recording(cassette: Path, *server: str) -> tuple[str, ...]:
    return (*VCR_GEN, "mcp", "record", "-o", str(cassette), "--", *(server or SERVER))


def serving(cassette: Path) -> tuple[str, ...]:
    return (*VCR_GEN, "mcp", "serve", str(cassette))


def over_stdio(command: tuple[str, ...]) -> AbstractAsyncContextManager[Any]:
    return stdio_client(StdioServerParameters(command=command[0], args=list(command[1:])))


def driving(cassette: Path, *server: str) -> tuple[str, ...]:
    return (*VCR_GEN, "mcp", "drive", str(cassette), "--", *server)


@contextmanager
def listening(
    command: tuple[str, ...], *, complaint: str = "", signal: Signals = SIGTERM
) -> Iterator[str]:
    """The URL that a command announces; it is then ended by a signal."""
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            yield process.stderr.readline().split()[-1]
        finally:
            process.send_signal(signal)
            complaints = process.stderr.read()
    assert complaint in complaints if complaint else complaints == ""
    assert process.returncode == (-SIGKILL if signal == SIGKILL else 0)


def recording_from(cassette: Path, url: str) -> tuple[str, ...]:
    return (*VCR_GEN, "mcp", "record", "-o", str(cassette), "--url", url)


@contextmanager
def served(app: Any) -> Iterator[str]:
    """The URL at which an application answers, in a thread."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
        running = uvicorn.Server(config)
        thread = Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        while not running.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        running.should_exit = True
        thread.join()
