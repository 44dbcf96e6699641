"""`vcr-gen mcp`: records sessions of the Model Context Protocol, and serves them."""

import argparse
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from vcr_gen.cli.outcome import DIFFERENT, FINE
from vcr_gen.errors import DivergenceError, ReplayError, UsageError

if TYPE_CHECKING:
    from vcr_gen import Cassette

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
            "Serve a recorded session over stdio, without the server. A request that differs from "
            "the recorded one is answered with an error that names the field; the exit code is "
            "then 1."
        ),
    )
    serve.add_argument("cassette", type=Path, metavar="FILE", help="the cassette")


def run(arguments: argparse.Namespace) -> int:
    """Record or serve; a server's exit code, or 1 if the session differs from the recorded one."""
    if find_spec("mcp") is None:
        raise UsageError(
            'vcr-gen: this command needs the package mcp\n  hint: pip install "vcr-gen[mcp]"'
        )
    return _record(arguments) if arguments.action == "record" else _serve(arguments)


def _record(arguments: argparse.Namespace) -> int:
    from vcr_gen import Cassette
    from vcr_gen.boundaries.mcp.recording_proxy import record_stdio

    path, command = arguments.cassette, arguments.program
    again = shlex.join(["vcr-gen", "mcp", "record", "-o", str(path), "--", *command])
    with Cassette(path, "all", record_with=again) as cassette:
        try:
            return record_stdio(cassette, command)
        except OSError as error:
            raise UsageError(f"vcr-gen: cannot run {command[0]}: {error.strerror}") from error


def _serve(arguments: argparse.Namespace) -> int:
    from vcr_gen import Cassette
    from vcr_gen.boundaries.mcp.mock_server import serve_stdio

    cassette = Cassette(arguments.cassette, "none")
    try:
        serve_stdio(cassette)
    except BaseException as error:
        cassette.close(error)
        raise
    return _close(cassette)


def _close(cassette: "Cassette") -> int:
    try:
        cassette.close()
    except (DivergenceError, ReplayError) as error:
        print(error, file=sys.stderr)
        return DIFFERENT
    return FINE
