"""`vcr-gen mcp …`: dispatches to its actions, one module each."""

import argparse
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from vcr_gen.cli.commands import CommandModule
from vcr_gen.cli.mcp import mcp_diff, mcp_drive, mcp_lint, mcp_record, mcp_serve

__all__ = ["ACTIONS", "add_parser", "run"]

ACTIONS: Final[Mapping[str, CommandModule]] = MappingProxyType(
    {
        "record": mcp_record,
        "serve": mcp_serve,
        "drive": mcp_drive,
        "diff": mcp_diff,
        "lint": mcp_lint,
    }
)


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this command, and one for each action."""
    parser = subparsers.add_parser(
        "mcp", description="Record MCP sessions, serve them, and check servers by them."
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action in ACTIONS.values():
        action.add_parser(actions)


def run(arguments: argparse.Namespace) -> int:
    """Run the action."""
    return ACTIONS[arguments.action].run(arguments)
