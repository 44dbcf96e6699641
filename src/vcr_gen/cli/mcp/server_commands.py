"""What the actions of `vcr-gen mcp` share: the official SDK, and commands of servers."""

import argparse
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import Final
from urllib.parse import urlsplit

from vcr_gen.errors import UsageError
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.reading import Reading, read_events

_LAST_PORT: Final = 65535
_OURS: Final = frozenset({"client", "server"})
_METHODS: Final = {f"{side}.{method}" for side in _OURS for method in ("request", "notify")}
"""The boundaries of an MCP session, and their methods."""
_NAMED: Final = "server~"
"""The beginning of the name of a server that is named, or not the first one."""


def anchors_of(cassette: Path) -> dict[str, Path]:
    """The folders of the anchors that every recording of a test has."""
    if not cassette.exists():
        return {}
    with Reading(cassette) as reading:
        names = Header.read(reading.header, cassette).anchors
    folders = {"project": Path.cwd(), "tmp": Path(gettempdir())}
    return {name: folder for name, folder in folders.items() if name in names}


def port(text: str) -> int:
    """The number of a port; 0 takes a free one."""
    value = int(text)
    if not 0 <= value <= _LAST_PORT:
        raise ValueError(text)
    return value


def server_url(text: str) -> str:
    """The URL of a server."""
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        expected = "expected a URL, such as http://127.0.0.1:8000/mcp"
        raise argparse.ArgumentTypeError(f"{expected}; got {text!r}")
    return text


def the_server(arguments: argparse.Namespace) -> list[str]:
    """The arguments that name a server: its command, or its URL, without credentials."""
    program: list[str] = arguments.program
    if bool(program) == (arguments.url is not None):
        raise UsageError("vcr-gen: give either a command after --, or a URL after --url")
    if program:
        return ["--", *program]
    parts = urlsplit(arguments.url)
    return ["--url", f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"]


def require_mcp(arguments: argparse.Namespace) -> None:
    """Say what to install, if the official SDK is missing."""
    from vcr_gen.boundaries.required_packages import require

    require("mcp", "jsonschema", extra="mcp", wanted_by=f"vcr-gen mcp {arguments.action}")


def recording_command(path: Path, server: Sequence[str]) -> str:
    """The command that records a session with `the_server`."""
    return shlex.join(["vcr-gen", "mcp", "record", "-o", str(path), *server])


def require_session(cassette: Path, *, alone: bool) -> None:
    """Refuse a cassette without an MCP session, or with several servers.

    `alone` refuses other boundaries too: a mock server can play only a part of such a cassette.
    """
    if not cassette.exists():
        return
    with Reading(cassette) as reading:
        recorded = Header.read(reading.header, cassette).signatures.keys()
        named = _named_servers(reading)
    others = sorted({method.partition(".")[0] for method in recorded} - _OURS)
    again = recording_command(cassette, ["--", "COMMAND", "..."])
    if recorded and not recorded & _METHODS:  # a session in which nobody spoke has no methods
        again = recording_command(cassette.with_stem("session"), ["--", "COMMAND", "..."])
        raise UsageError(f"{cassette} contains no MCP session\n\nhint: record one: {again}")
    if others and alone:
        raise UsageError(
            f"{cassette}: a mock server cannot play {' and '.join(others)}, which the recorded "
            "program called too\n\nhint: replay it in its test, or record the session alone: "
            f"{again}"
        )
    if named:
        raise UsageError(
            f"{cassette}: it has several servers, or one with a name: {' and '.join(named)}\n\n"
            f"hint: replay it in its test, or record the session with each server alone: {again}"
        )


def _named_servers(reading: Reading) -> list[str]:
    if not reading.holds(_NAMED.encode()):
        return []
    starts = (start for _, start, _, _ in read_events(reading, reading.path))
    return sorted({each.on.removeprefix(_NAMED) for each in starts if each.on.startswith(_NAMED)})


@contextmanager
def runnable(command: Sequence[str]) -> Iterator[None]:
    """Say what is wrong with a command that cannot be run."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"vcr-gen: cannot run {command[0]}: {error.strerror}") from error
