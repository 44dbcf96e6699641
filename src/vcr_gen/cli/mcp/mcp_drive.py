"""`vcr-gen mcp drive`: runs a server and asks it what a recorded client asked."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from vcr_gen.cli.mcp.server_commands import (
    anchors_of,
    recording_command,
    require_mcp,
    require_session,
    runnable,
    server_url,
    the_server,
)
from vcr_gen.cli.outcome import DIFFERENT, FINE
from vcr_gen.errors import DivergenceError, ReplayError, UsageError

if TYPE_CHECKING:
    from vcr_gen import Cassette


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    drive = subparsers.add_parser(
        "drive",
        help="run a server and ask it what the recorded client asked",
        usage="vcr-gen mcp drive FILE (-- COMMAND ... | --url URL [--sse])",
        description=(
            "Run a server over stdio, or connect to one at a URL, ask it what the client of a "
            "recorded session asked, and report every difference of what it says. The exit code "
            "is 1 if there are any."
        ),
    )
    drive.add_argument("cassette", type=Path, metavar="FILE", help="the cassette")
    drive.add_argument("--url", type=server_url, help="the server's URL: streamable HTTP")
    drive.add_argument(
        "--sse", action="store_true", help="the server at the URL speaks the older HTTP+SSE"
    )
    drive.add_argument("program", nargs="*", metavar="COMMAND", help="the server's command")


def run(arguments: argparse.Namespace) -> int:
    """Drive; 1 if the session differs from the recorded one."""
    require_mcp(arguments)
    from vcr_gen import Cassette
    from vcr_gen.boundaries.mcp.server_driver import BOUNDARIES

    if arguments.sse and arguments.url is None:
        raise UsageError("vcr-gen: --sse goes with --url")
    path = arguments.cassette
    require_session(path, alone=False)
    again = recording_command(path, the_server(arguments))
    try:
        with Cassette(
            path, "none", anchors=anchors_of(path), other_side=BOUNDARIES, record_with=again
        ) as cassette:
            _drive(cassette, arguments)
    except (DivergenceError, ReplayError) as error:
        print(error)
        return DIFFERENT
    return FINE


def _drive(cassette: "Cassette", arguments: argparse.Namespace) -> None:
    if arguments.url is not None:
        from vcr_gen.boundaries.mcp.http_server_driver import drive_url

        drive_url(cassette, arguments.url, sse=arguments.sse)
    else:
        from vcr_gen.boundaries.mcp.server_driver import drive_stdio

        with runnable(arguments.program):
            drive_stdio(cassette, arguments.program)
