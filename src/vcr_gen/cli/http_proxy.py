"""`vcr-gen http proxy`: runs a command whose HTTP requests are recorded, or replayed."""

import argparse
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Final

from vcr_gen.cli.outcome import DIFFERENT, FINE
from vcr_gen.errors import DivergenceError, ReplayError
from vcr_gen.runtime.modes import Mode, chosen_on_command_line

if TYPE_CHECKING:
    from vcr_gen import Cassette

_PATIENCE: Final = 10.0
"""Seconds that a replay waits for a request that other requests wait for: a program may be slow."""
_SECONDS_TO_END: Final = 10.0
_KILLED: Final = 128
"""A shell adds it to the number of the signal that ended a command."""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "proxy",
        help="run a command behind a recording and replaying proxy",
        usage="vcr-gen http proxy -o FILE [OPTIONS] -- COMMAND ...",
        description=(
            "Run a command with a proxy in its environment: HTTP_PROXY and the variables that "
            "curl, Python, Node and others read. Its requests are recorded in a cassette, or "
            "replayed from it. The exit code is the command's, or 1 if the replay differs."
        ),
    )
    add = parser.add_argument
    add("-o", "--cassette", type=Path, required=True, metavar="FILE", help="the cassette")
    add(
        "--mode",
        choices=[mode.value for mode in Mode],
        help="when to record (default: none, or all where VCR_RECORD=1 and CI is not set); wins "
        "over both variables",
    )
    add(
        "--ca-file",
        type=Path,
        metavar="FILE",
        help="certificate authorities of real servers, besides those that the system trusts",
    )
    ignored = {"header": "this header; `x-trace-*` names several", "query": "this query parameter"}
    for option, what in ignored.items():
        add(
            f"--ignore-{option}",
            action="append",
            default=[],
            metavar="NAME",
            help=f"do not compare {what}; may be repeated",
        )
    add("--ignore-body", action="store_true", help="do not compare the bodies of requests")
    add("program", nargs="+", metavar="COMMAND", help="the command and its arguments")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; exit 1 if the replay differs, and else as the command does."""
    from vcr_gen import Cassette
    from vcr_gen.boundaries.required_packages import require

    require("h11", "trustme", extra="proxy", wanted_by="vcr-gen http proxy")

    mode = arguments.mode
    cassette = Cassette(
        arguments.cassette,
        mode and chosen_on_command_line(os.environ, mode),
        order="lanes",  # clients open connections in any order
        patience=_PATIENCE,
        record_with=_recording_command(arguments),
    )
    try:
        code, complaints = _run_behind_proxy(arguments, cassette)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and cassette.recording:
            _say("interrupted; the recording is not saved")
        cassette.close(error)
        raise
    for complaint in complaints:
        _say(complaint)
    killed = None if code >= 0 else _KilledError(f"signal {-code} ended the command")
    if killed is not None and cassette.recording:
        _say(f"{killed}; the recording is not saved")
    try:
        cassette.close(killed)
    except (DivergenceError, ReplayError) as error:
        print(error, file=sys.stderr)
        return DIFFERENT
    if code < 0:
        return _KILLED - code
    return DIFFERENT if code == FINE and complaints else code


class _KilledError(Exception):
    """A signal ended the command, so that a recording is not complete."""


def _say(remark: str) -> None:
    print(f"vcr-gen: {remark}", file=sys.stderr)


def _recording_command(arguments: argparse.Namespace) -> str:
    words = ["vcr-gen", "http", "proxy", "--mode", "all", "-o", str(arguments.cassette)]
    if arguments.ca_file:
        words += ["--ca-file", str(arguments.ca_file)]
    for name in arguments.ignore_header:
        words += ["--ignore-header", name]
    for name in arguments.ignore_query:
        words += ["--ignore-query", name]
    if arguments.ignore_body:
        words.append("--ignore-body")
    return shlex.join([*words, "--", *arguments.program])


def _run_behind_proxy(
    arguments: argparse.Namespace, cassette: "Cassette"
) -> tuple[int, Sequence[str]]:
    """The exit code of the command, and what went wrong between it and the proxy."""
    from vcr_gen.boundaries.http import HttpMatch, http_proxy

    match = HttpMatch(
        ignore_headers=arguments.ignore_header,
        ignore_query=arguments.ignore_query,
        body=not arguments.ignore_body,
    )
    with http_proxy(cassette, ca_file=arguments.ca_file, match=match) as proxy:
        code = _execute(arguments.program, {**os.environ, **proxy.environment})
    if code >= 0 and cassette.recording and not proxy.was_reached:
        _say(
            "no request reached the proxy, so the recording is empty; the command must respect "
            "HTTP_PROXY and HTTPS_PROXY"
        )
    return code, proxy.complaints


def _execute(command: Sequence[str], environment: Mapping[str, str]) -> int:
    process = subprocess.Popen(command, env=environment)
    with _passing_on_termination(process):
        try:
            return process.wait()
        except KeyboardInterrupt:  # the command got the same signal from the terminal
            try:
                process.wait(_SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            raise


@contextmanager
def _passing_on_termination(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Let a signal that ends us end the command."""

    def pass_on(number: int, _: FrameType | None) -> None:
        process.send_signal(number)

    before = signal.signal(signal.SIGTERM, pass_on)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
