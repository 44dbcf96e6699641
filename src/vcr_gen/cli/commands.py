"""The table of subcommands; the module of a command is imported only when it runs."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Final, Protocol, cast

__all__ = ["COMMANDS", "Command", "CommandModule", "run"]


class CommandModule(Protocol):
    """The interface of a command's module."""

    def add_parser(self, subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
        """Add the command's own parser, named like the command."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do the work and return the exit code."""


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand: its module and its one-line help."""

    module: str
    help: str


COMMANDS: Final[Mapping[str, Command]] = MappingProxyType(
    {
        "verify": Command("vcr_gen.cli.verify", "type-check wrappers and compare signatures"),
        "extract": Command("vcr_gen.cli.extract", "write a Protocol from an existing class"),
        "mark": Command("vcr_gen.cli.mark", "mark an existing Protocol as a boundary"),
        "cassette": Command("vcr_gen.cli.cassette.actions", "inspect, check and rewrite cassettes"),
        "http": Command(
            "vcr_gen.cli.http_proxy", "record and replay the HTTP requests of any program"
        ),
        "mcp": Command("vcr_gen.cli.mcp.mcp_actions", "record MCP sessions, and serve them"),
        "demo": Command(
            "vcr_gen.cli.demo", "take the tour: generate, record, replay, catch a change"
        ),
    }
)


def run(arguments: Sequence[str]) -> int:
    """Run the subcommand that the first argument names; the default is to generate."""
    if not arguments or arguments[0] not in COMMANDS:
        from vcr_gen.cli import generate

        return generate.run(generate.parser(COMMANDS).parse_args(arguments))
    module = cast("CommandModule", import_module(COMMANDS[arguments[0]].module))
    parser = argparse.ArgumentParser(prog="vcr-gen")
    module.add_parser(parser.add_subparsers(dest="command", required=True))
    return module.run(parser.parse_args(arguments))
