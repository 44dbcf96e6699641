"""`vcr-gen mcp serve`: serves a recorded session to a client."""

import argparse
import sys
import warnings
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from vcr_gen.cli.mcp.loose_serving import checked, dry_run, matching
from vcr_gen.cli.mcp.server_commands import (
    anchors_of,
    port,
    recording_command,
    refuse_other_boundaries,
    require_mcp,
)
from vcr_gen.cli.outcome import DIFFERENT, FINE
from vcr_gen.errors import DivergenceError, ReplayError

if TYPE_CHECKING:
    from vcr_gen import Cassette
    from vcr_gen.boundaries.mcp.faults import Fault

__all__ = ["add_parser", "run"]


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    serve = subparsers.add_parser(
        "serve",
        help="serve a recorded session to a client",
        description=(
            "Serve a recorded session, without the server. A request that differs from "
            "the recorded one is answered with an error that names the field; the exit code is "
            "then 1."
        ),
    )
    serve.add_argument("cassette", type=Path, metavar="FILE", help="the cassette")
    wires = serve.add_mutually_exclusive_group()
    wires.add_argument(
        "--http",
        type=port,
        metavar="PORT",
        help="serve streamable HTTP at http://127.0.0.1:PORT/mcp, until a signal ends it; "
        "0 takes a free port (default: stdio)",
    )
    wires.add_argument(
        "--sse",
        type=port,
        metavar="PORT",
        help="serve the older HTTP+SSE transport at http://127.0.0.1:PORT/sse, likewise",
    )
    serve.add_argument(
        "--pace",
        type=_factor,
        default=0.0,
        metavar="FACTOR",
        help="take as long as the recorded server, times this (default: as fast as possible)",
    )
    serve.add_argument(
        "--strategy",
        action="append",
        default=[],
        metavar="[METHOD[:NAME]=]STRATEGY",
        help="how a request finds the recorded one: exact (the default), method, "
        "method_and_arguments, subset or sequential; for all requests, or for those of a method, "
        "or of a tool: tools/call:search=subset (repeatable)",
    )
    serve.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="METHOD[:NAME][@COUNT]=FAULT",
        help="break the answers to some requests: error:CODE[:MESSAGE], delay:SECONDS, timeout, "
        "malformed, disconnect or crash[:CODE]; @2 is for the second of them only, @1-3 for the "
        "first three (repeatable)",
    )
    serve.add_argument(
        "--dry-run",
        action="store_true",
        help="say which recorded requests each fault would hit, and do not serve",
    )


def _factor(text: str) -> float:
    value = float(text)
    if not 0 <= value < inf:
        raise ValueError(text)
    return value


def run(arguments: argparse.Namespace) -> int:
    """Serve; 1 if the session differs from the recorded one."""
    require_mcp(arguments)
    from vcr_gen import Cassette, UnusedRuleWarning

    if arguments.dry_run:
        return dry_run(arguments.cassette, arguments.fault)
    options = matching(arguments.cassette, arguments.strategy)
    faults = checked(arguments.cassette, arguments.fault)
    warnings.simplefilter("ignore", UnusedRuleWarning)  # a client need not ask for everything
    again = recording_command(arguments.cassette, ["--", "COMMAND", "..."])
    path, already = _launch(arguments)
    refuse_other_boundaries(path)
    try:
        with Cassette(
            path,
            "none",
            anchors=anchors_of(path),
            pace=arguments.pace,
            record_with=again,
            **options,
        ) as cassette:
            _serve(cassette, arguments, already, faults)
    except (DivergenceError, ReplayError) as error:
        print(error, file=sys.stderr)
        return DIFFERENT
    return FINE


def _launch(arguments: argparse.Namespace) -> tuple[Path, bytes]:
    """The cassette of this launch, and what was read from the client to choose it."""
    from vcr_gen.boundaries.mcp.launches import has_several_launches, served_path

    path: Path = arguments.cassette
    over_stdio = arguments.http is None and arguments.sse is None
    if not over_stdio or not has_several_launches(path):
        return path, b""
    from vcr_gen.boundaries.mcp.stdio_lines import first_frame

    first, already = first_frame(0)
    return path if first is None else served_path(path, first), already


def _serve(
    cassette: "Cassette", arguments: argparse.Namespace, already: bytes, faults: "list[Fault]"
) -> None:
    if arguments.http is not None:
        from vcr_gen.boundaries.mcp.http_mock_server import serve_http

        serve_http(cassette, arguments.http, faults=faults)
    elif arguments.sse is not None:
        from vcr_gen.boundaries.mcp.sse_mock_server import serve_sse

        serve_sse(cassette, arguments.sse, faults=faults)
    else:
        from vcr_gen.boundaries.mcp.mock_server import serve_stdio

        serve_stdio(cassette, already, faults=faults)
