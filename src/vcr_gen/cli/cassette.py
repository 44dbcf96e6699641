"""`vcr-gen cassette …`: finds the action that is meant; each one has a module of its own."""

import argparse
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from vcr_gen.cli import (
    cassette_check,
    cassette_convert,
    cassette_diff,
    cassette_list,
    cassette_merge,
    cassette_migrate,
    cassette_mutate,
    cassette_prune,
    cassette_redact,
    cassette_report,
    cassette_scan,
    cassette_show,
    cassette_stats,
)
from vcr_gen.cli.commands import CommandModule

__all__ = ["ACTIONS", "add_parser", "run"]

ACTIONS: Final[Mapping[str, CommandModule]] = MappingProxyType(
    {
        "list": cassette_list,
        "show": cassette_show,
        "check": cassette_check,
        "diff": cassette_diff,
        "stats": cassette_stats,
        "convert": cassette_convert,
        "migrate": cassette_migrate,
        "merge": cassette_merge,
        "prune": cassette_prune,
        "mutate": cassette_mutate,
        "report": cassette_report,
        "scan": cassette_scan,
        "redact": cassette_redact,
    }
)


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this command, and one for each action."""
    parser = subparsers.add_parser(
        "cassette",
        help="look at, check and rewrite cassettes",
        description="Look at, check and rewrite cassettes.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action in ACTIONS.values():
        action.add_parser(actions)


def run(arguments: argparse.Namespace) -> int:
    """Run the action."""
    return ACTIONS[arguments.action].run(arguments)
