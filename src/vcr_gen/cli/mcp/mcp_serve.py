"""`vcr-gen mcp serve`: serves a recorded session to a client."""

import argparse
import sys
import warnings
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vcr_gen.cli.mcp.server_commands import (
    anchors_of,
    port,
    recording_command,
    require_mcp,
    require_session,
)
from vcr_gen.cli.outcome import DIFFERENT, ERROR, FINE
from vcr_gen.errors import DivergenceError, ReplayError, UsageError

if TYPE_CHECKING:
    from vcr_gen import Cassette
    from vcr_gen.boundaries.mcp.faults import Fault

_MORE_HELP: Final = """\
strategies: a request is answered as a recorded one if
  exact                  all is equal, in the recorded order (default)
  subset                 it has all that was recorded, in the recorded order
  method                 the JSON-RPC method is the same, in the recorded order
  method_and_arguments   all is equal, in any order
  sequential             it is the next one of its JSON-RPC method, in any order

faults: a client gets
  error:CODE[:MESSAGE]   an error answer, such as error:-32000:overloaded
  delay:SECONDS          the recorded answer, later
  timeout                no answer
  malformed              something that is not JSON
  disconnect             a closed connection
  crash[:CODE]           the same, and the server ends with this exit code (default: 1)
  COUNT: @2 is the second request, @1-3 the first three, @2- all but the first

examples:
  vcr-gen mcp serve search.yaml --strategy method_and_arguments
  vcr-gen mcp serve search.yaml --strategy tools/call:search=subset
  vcr-gen mcp serve search.yaml --fault tools/call:search@2=error:-32000 --dry-run
"""
_ANY_ORDER: Final = (
    "hint: if a client need not repeat the recorded session, add --strategy method_and_arguments: "
    "requests are then answered in any order"
)


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    serve = subparsers.add_parser(
        "serve",
        help="serve a recorded session to a client",
        description=(
            "Serve a recorded session, without the server. A request that differs from the\n"
            "recorded one is answered with an error that names the field; the exit code is\n"
            "then 1."
        ),
        epilog=_MORE_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
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
        help="how a request finds the recorded one: for all requests, for those of a method, or "
        "for one tool, prompt or resource; see below (repeatable)",
    )
    serve.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="METHOD[:NAME][@COUNT]=FAULT",
        help="break the answers to the requests of a method, or for one tool, prompt or resource; "
        "see below (repeatable)",
    )
    serve.add_argument(
        "--dry-run",
        action="store_true",
        help="say which recorded requests each fault would hit, and do not serve",
    )


def _factor(text: str) -> float:
    expected = f"expected a number that is not negative, such as 1.0; got {text!r}"
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(expected) from None
    if not 0 <= value < inf:
        raise argparse.ArgumentTypeError(expected)
    return value


def run(arguments: argparse.Namespace) -> int:
    """Serve; 1 if the session differs from the recorded one."""
    require_mcp(arguments)
    from vcr_gen import Cassette, UnusedRuleWarning

    options = _matching(arguments.cassette, arguments.strategy)
    if arguments.dry_run:
        return _dry_run(arguments.cassette, arguments.fault)
    faults = _checked(arguments.cassette, arguments.fault)
    warnings.simplefilter("ignore", UnusedRuleWarning)  # a client need not ask for everything
    again = recording_command(arguments.cassette, ["--", "COMMAND", "..."])
    path, already = _launch(arguments)
    require_session(path, alone=True)
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
        if not arguments.strategy:
            print(_ANY_ORDER, file=sys.stderr)
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


# Answers that differ from the recorded ones: strategies and faults.


def _matching(path: Path, strategies: Sequence[str]) -> dict[str, Any]:
    """The options of the cassette for the strategies; they must be for something that it has."""
    if not strategies:
        return {}
    from vcr_gen.boundaries.mcp.request_matching import mcp_matching
    from vcr_gen.boundaries.mcp.request_targets import check_recorded, target_of

    options = mcp_matching(*strategies)
    if path.exists():
        named = (text.rpartition("=")[0] for text in strategies if "=" in text)
        check_recorded(path, map(target_of, named))
    return options


def _checked(path: Path, faults: Sequence[str]) -> "list[Fault]":
    """The faults; each must be for requests that the cassette has."""
    if not faults:
        return []
    from vcr_gen.boundaries.mcp.faults import parse_fault
    from vcr_gen.boundaries.mcp.request_targets import check_recorded

    parsed = [parse_fault(text) for text in faults]
    if path.exists():
        check_recorded(path, (fault.target for fault in parsed), requests=True)
    return parsed


def _dry_run(path: Path, faults: Sequence[str]) -> int:
    """Print which recorded requests each fault hits; a fault that hits none is a mistake."""
    if not faults:
        raise UsageError("--dry-run says what faults hit\n\nhint: add --fault METHOD=FAULT")
    from vcr_gen.boundaries.mcp.request_targets import recorded_messages

    requests = [message for message in recorded_messages(path) if message.is_request]
    outcome = FINE
    for fault in _checked(path, faults):
        meant = [request for request in requests if fault.target.is_for(request.title)]
        hit = [request for number, request in enumerate(meant, 1) if fault.hits(number)]
        print(fault.text)
        for request in hit:
            print(f"  {path}:{request.line}: {request.title}")
        if not hit:
            print(f"  hits nothing: the cassette has {len(meant)} of these requests")
            outcome = ERROR
    return outcome
