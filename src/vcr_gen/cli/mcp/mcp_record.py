"""`vcr-gen mcp record`: records the session of a server and its client."""

import argparse
from pathlib import Path

from vcr_gen.cli.mcp.server_commands import recording_command, require_mcp, runnable

__all__ = ["add_parser", "run"]


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    record = subparsers.add_parser(
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


def run(arguments: argparse.Namespace) -> int:
    """Record; the exit code is the server's."""
    require_mcp(arguments)
    from vcr_gen import Cassette
    from vcr_gen.boundaries.mcp.recording_proxy import record_stdio

    path, command = arguments.cassette, arguments.program
    with (
        Cassette(path, "all", record_with=recording_command(path, command)) as cassette,
        runnable(command),
    ):
        return record_stdio(cassette, command)
