"""`vcr-gen mcp record`: records the session of a server and its client."""

import argparse
import sys
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
    from vcr_gen.boundaries.mcp.launches import Launch
    from vcr_gen.boundaries.mcp.recording_proxy import record_stdio

    path, command = arguments.cassette, arguments.program
    launch = Launch(path, recording_command(path, command))
    with launch.cassette as cassette, runnable(command):
        code = record_stdio(cassette, command)
        launch.settle()
    if cassette.path != path:
        print(f"vcr-gen: {path} has another launch; this one is {cassette.path}", file=sys.stderr)
    return code
