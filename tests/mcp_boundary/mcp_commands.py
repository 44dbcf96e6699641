"""Commands and transports of the tests."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client

PLAIN = (sys.executable, str(Path(__file__).with_name("plain_server.py")))
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
def listening(command: tuple[str, ...], *, code: int = 0, complaint: str = "") -> Iterator[str]:
    """The URL that a command announces; it is then ended by a signal."""
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            yield process.stderr.readline().split()[-1]
        finally:
            process.terminate()
            complaints = process.stderr.read()
    assert complaint in complaints if complaint else complaints == ""
    assert process.returncode == code
