"""`vcr-gen mcp`: records sessions of the Model Context Protocol, and serves them."""

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from pathlib import Path

from vcr_gen.cli.outcome import DIFFERENT, FINE
from vcr_gen.errors import DivergenceError, ReplayError, UsageError

__all__ = ["add_parser", "run"]


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this command, and of its actions."""
    actions = subparsers.add_parser(
        "mcp", description="Record MCP sessions, and serve them."
    ).add_subparsers(dest="action", required=True, metavar="ACTION")
    record = actions.add_parser(
        "record",
        help="run a server and record what it and its client say",
        usage="vcr-gen mcp record -o FILE -- COMMAND ...",
        description=(
            "Run a server over stdio and record the session. Let the configuration of the client "
            "name this command instead of the server's: it passes every byte on unchanged. The "
            "exit code is the server's."
        ),
    )
    record.add_argument(
        "-o", "--cassette", type=Path, required=True, metavar="FILE", help="the cassette to write"
    )
    record.add_argument("program", nargs="+", metavar="COMMAND", help="the server's command")
    serve = actions.add_parser(
        "serve",
        help="serve a recorded session to a client",
        description=(
            "Serve a recorded session, without the server. A request that differs from "
            "the recorded one is answered with an error that names the field; the exit code is "
            "then 1."
        ),
    )
    serve.add_argument("cassette", type=Path, metavar="FILE", help="the cassette")
    serve.add_argument(
        "--http",
        type=int,
        metavar="PORT",
        help="serve streamable HTTP at http://127.0.0.1:PORT/mcp, until a signal ends it "
        "(default: stdio)",
    )
    serve.add_argument(
        "--pace",
        type=_factor,
        default=0.0,
        metavar="FACTOR",
        help="take as long as the recorded server, times this (default: as fast as possible)",
    )
    drive = actions.add_parser(
        "drive",
        help="run a server and ask it what the recorded client asked",
        usage="vcr-gen mcp drive FILE -- COMMAND ...",
        description=(
            "Run a server over stdio, ask it what the client of a recorded session asked, and "
            "report every difference of what it says. The exit code is 1 if there are any."
        ),
    )
    drive.add_argument("cassette", type=Path, metavar="FILE", help="the cassette")
    drive.add_argument("program", nargs="+", metavar="COMMAND", help="the server's command")


def _factor(text: str) -> float:
    value = float(text)
    if not 0 <= value < inf:
        raise ValueError(text)
    return value


def run(arguments: argparse.Namespace) -> int:
    """Record or serve; a server's exit code, or 1 if the session differs from the recorded one."""
    from vcr_gen.boundaries.required_packages import require

    require("mcp", extra="mcp", wanted_by=f"vcr-gen mcp {arguments.action}")
    actions = {"record": _record, "serve": _serve, "drive": _drive}
    return actions[arguments.action](arguments)


def _record(arguments: argparse.Namespace) -> int:
    from vcr_gen import Cassette
    from vcr_gen.boundaries.mcp.recording_proxy import record_stdio

    path, command = arguments.cassette, arguments.program
    with (
        Cassette(path, "all", record_with=_recording_command(path, command)) as cassette,
        _runnable(command),
    ):
        return record_stdio(cassette, command)


def _serve(arguments: argparse.Namespace) -> int:
    from vcr_gen import Cassette

    try:
        again = _recording_command(arguments.cassette, ["COMMAND", "..."])
        with Cassette(
            arguments.cassette, "none", pace=arguments.pace, record_with=again
        ) as cassette:
            if arguments.http is None:
                from vcr_gen.boundaries.mcp.mock_server import serve_stdio

                serve_stdio(cassette)
            else:
                from vcr_gen.boundaries.mcp.http_mock_server import serve_http

                serve_http(cassette, arguments.http)
    except (DivergenceError, ReplayError) as error:
        print(error, file=sys.stderr)
        return DIFFERENT
    return FINE


def _drive(arguments: argparse.Namespace) -> int:
    from vcr_gen import Cassette
    from vcr_gen.boundaries.mcp.server_driver import BOUNDARIES, drive_stdio

    path, command = arguments.cassette, arguments.program
    try:
        with (
            Cassette(
                path,
                "none",
                other_side=BOUNDARIES,
                record_with=_recording_command(path, command),
            ) as cassette,
            _runnable(command),
        ):
            drive_stdio(cassette, command)
    except (DivergenceError, ReplayError) as error:
        print(error)
        return DIFFERENT
    return FINE


def _recording_command(path: Path, server: Sequence[str]) -> str:
    return shlex.join(["vcr-gen", "mcp", "record", "-o", str(path), "--", *server])


@contextmanager
def _runnable(command: Sequence[str]) -> Iterator[None]:
    """Say what is wrong with a command that cannot be run."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"vcr-gen: cannot run {command[0]}: {error.strerror}") from error
