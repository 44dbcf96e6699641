"""`vcr-gen cassette …`: dispatches to its actions, one module each."""

import argparse
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from vcr_gen.cli.cassette import (
    check,
    convert,
    diff,
    listing,
    merge,
    migrate,
    prune,
    redact,
    report,
    scan,
    show,
    stats,
)
from vcr_gen.cli.commands import CommandModule

__all__ = ["ACTIONS", "add_parser", "run"]

ACTIONS: Final[Mapping[str, CommandModule]] = MappingProxyType(
    {
        "list": listing,
        "show": show,
        "check": check,
        "diff": diff,
        "stats": stats,
        "convert": convert,
        "migrate": migrate,
        "merge": merge,
        "prune": prune,
        "report": report,
        "scan": scan,
        "redact": redact,
    }
)


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this command, and one for each action."""
    parser = subparsers.add_parser(
        "cassette",
        description="Inspect, check and rewrite cassettes.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action in ACTIONS.values():
        action.add_parser(actions)


def run(arguments: argparse.Namespace) -> int:
    """Run the action."""
    return ACTIONS[arguments.action].run(arguments)
