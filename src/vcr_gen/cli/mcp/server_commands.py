"""What the actions of `vcr-gen mcp` share: the official SDK, and commands of servers."""

import argparse
import shlex
from collections.abc import Iterator, Sequence, Set
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
"""How the tape calls a server that has a name, or that is not the first one."""


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


def require_session(cassette: Path) -> None:
    """Refuse a cassette of something other than an MCP session."""
    recorded = _methods_of(cassette) if cassette.exists() else set()
    if recorded and not recorded & _METHODS:  # a session in which nobody spoke has none
        raise UsageError(
            f"{cassette}: there is no MCP session in it\n\nhint: record one: "
            f"{recording_command(cassette.with_stem('session'), ['--', 'COMMAND', '...'])}"
        )


def refuse_other_boundaries(cassette: Path) -> None:
    """Refuse a cassette that a mock server can play only in part."""
    if not cassette.exists():
        return
    others = sorted({method.partition(".")[0] for method in _methods_of(cassette)} - _OURS)
    if others:
        raise UsageError(
            f"{cassette}: a mock server cannot play {' and '.join(others)}, which the recorded "
            "program called too\n\nhint: replay it in its test, or record the session alone: "
            f"{recording_command(cassette, ['--', 'COMMAND', '...'])}"
        )


def _methods_of(cassette: Path) -> Set[str]:
    with Reading(cassette) as reading:
        return Header.read(reading.header, cassette).signatures.keys()


def refuse_several_servers(cassette: Path) -> None:
    """Refuse a cassette with several servers: a session with one of them cannot be told apart."""
    if not cassette.exists():
        return
    with Reading(cassette) as reading:
        if not reading.holds(_NAMED.encode()):
            return
        events = read_events(reading, cassette)
        named = sorted({start.on for _, start, _, _ in events if start.on.startswith(_NAMED)})
    if named:
        names = " and ".join(name.removeprefix(_NAMED) for name in named)
        raise UsageError(
            f"{cassette}: it has several servers, or one with a name: {names}\n\nhint: replay it "
            "in its test, or record the session with each server alone: "
            f"{recording_command(cassette, ['--', 'COMMAND', '...'])}"
        )


@contextmanager
def runnable(command: Sequence[str]) -> Iterator[None]:
    """Say what is wrong with a command that cannot be run."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"vcr-gen: cannot run {command[0]}: {error.strerror}") from error
