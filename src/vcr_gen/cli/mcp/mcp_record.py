"""`vcr-gen mcp record`: records the session of a server and its client."""

import argparse
import sys
from pathlib import Path

from vcr_gen.cli.mcp.server_commands import (
    port,
    recording_command,
    require_mcp,
    runnable,
    server_url,
    the_server,
)
from vcr_gen.cli.outcome import FINE
from vcr_gen.errors import UsageError


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    record = subparsers.add_parser(
        "record",
        help="record what a server and its client say",
        usage="vcr-gen mcp record -o FILE (-- COMMAND ... | --url URL [--port PORT])",
        description=(
            "Record a session. With a command, run a server over stdio: let the configuration of "
            "the client name this command instead of the server's. With --url, listen on this "
            "machine and forward to the server there: let the client connect to the URL that is "
            "printed on stderr. What passes is unchanged. The exit code is the server's."
        ),
    )
    record.add_argument(
        "-o", "--cassette", type=Path, required=True, metavar="FILE", help="the cassette to write"
    )
    record.add_argument(
        "--url",
        type=server_url,
        help="the server's URL: streamable HTTP, or the stream of HTTP+SSE",
    )
    record.add_argument(
        "--port", type=port, help="with --url: listen on this port (default: a free one)"
    )
    record.add_argument("program", nargs="*", metavar="COMMAND", help="the server's command")


def run(arguments: argparse.Namespace) -> int:
    """Record; the exit code is the server's."""
    require_mcp(arguments)
    if arguments.port is not None and arguments.url is None:
        raise UsageError("vcr-gen: --port goes with --url")
    again = recording_command(arguments.cassette, the_server(arguments))
    return _from_url(arguments, again) if arguments.url else _from_command(arguments, again)


def _from_url(arguments: argparse.Namespace, again: str) -> int:
    from vcr_gen import Cassette
    from vcr_gen.boundaries.mcp.http_recording_proxy import record_http

    with Cassette(arguments.cassette, "all", record_with=again) as cassette:
        record_http(cassette, arguments.url, arguments.port or 0)
    return FINE


def _from_command(arguments: argparse.Namespace, again: str) -> int:
    from vcr_gen.boundaries.mcp.launches import Launch
    from vcr_gen.boundaries.mcp.recording_proxy import record_stdio

    path, command = arguments.cassette, arguments.program
    launch = Launch(path, again)
    with launch.cassette as cassette, runnable(command):
        code = record_stdio(cassette, command)
        launch.settle()
    if cassette.path != path:
        print(f"vcr-gen: {path} has another launch; this one is {cassette.path}", file=sys.stderr)
    return code
