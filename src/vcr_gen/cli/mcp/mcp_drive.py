"""`vcr-gen mcp drive`: runs a server and asks it what a recorded client asked."""

import argparse
from pathlib import Path

from vcr_gen.cli.mcp.server_commands import anchors_of, recording_command, require_mcp, runnable
from vcr_gen.cli.outcome import DIFFERENT, FINE
from vcr_gen.errors import DivergenceError, ReplayError

__all__ = ["add_parser", "run"]


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    drive = subparsers.add_parser(
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


def run(arguments: argparse.Namespace) -> int:
    """Drive; 1 if the session differs from the recorded one."""
    require_mcp(arguments)
    from vcr_gen import Cassette
    from vcr_gen.boundaries.mcp.server_driver import BOUNDARIES, drive_stdio

    path, command = arguments.cassette, arguments.program
    try:
        with (
            Cassette(
                path,
                "none",
                anchors=anchors_of(path),
                other_side=BOUNDARIES,
                record_with=recording_command(path, ["--", *command]),
            ) as cassette,
            runnable(command),
        ):
            drive_stdio(cassette, command)
    except (DivergenceError, ReplayError) as error:
        print(error)
        return DIFFERENT
    return FINE
