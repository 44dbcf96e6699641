"""`vcr-gen verify`: compares the wrappers on disk with the Protocols, by signature and type."""

import argparse

from vcr_gen.cli.common_options import (
    add_common_options,
    fixing_command,
    read_config,
    report_refusals,
    require_extra,
)
from vcr_gen.cli.outcome import DIFFERENT, FINE, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal

_BY_MYPY = "VCR310"


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this command."""
    parser = subparsers.add_parser(
        "verify",
        description=(
            "Compare every signature of the wrappers on disk with its Protocol, "
            "and run mypy once over both. Writes nothing; exit 1 when anything differs."
        ),
    )
    parser.add_argument(
        "--no-mypy", action="store_true", help="compare signatures only, which is much faster"
    )
    add_common_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Verify the project around the working directory."""
    terminal = Terminal.of(arguments)
    return report_refusals(lambda: _run(arguments, terminal), terminal)


def _run(arguments: argparse.Namespace, terminal: Terminal) -> int:
    require_extra()
    from vcr_gen.gen.pipeline.verify_wrappers import verify_project

    config = read_config(arguments)
    result = verify_project(config, with_mypy=not arguments.no_mypy)
    boundaries = counted(result.boundaries, "boundary", "boundaries")
    checked = f"{boundaries} in {counted(result.files, 'file')}"
    if not result.diagnostics:
        return print_outcome(Outcome(code=FINE, summary=f"{checked}: all match"), terminal)
    drifted = any(diagnostic.code != _BY_MYPY for diagnostic in result.diagnostics)
    current = "" if drifted else f"; the wrappers are up to date: see vcr-gen --explain {_BY_MYPY}"
    outcome = Outcome(
        code=DIFFERENT,
        diagnostics=result.diagnostics,
        summary=f"{counted(len(result.diagnostics), 'difference')} in {checked}{current}",
        fix=fixing_command(arguments) if drifted else "",
    )
    return print_outcome(outcome, terminal)
