"""The table of commands and their actions; a module is imported only when its command runs."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeAlias, cast

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


class CommandModule(Protocol):
    """The interface of the module of a command or action."""

    def add_parser(self, subparsers: Subparsers) -> None:
        """Add its own parser, named like the command."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do the work and return the exit code."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its module and its one-line help."""

    module: str
    help: str


@dataclass(frozen=True, slots=True)
class Group:
    """A command that consists of actions."""

    help: str
    package: str
    actions: Mapping[str, str]
    """The module of each action, in the package."""


COMMANDS: Final[Mapping[str, Command | Group]] = MappingProxyType(
    {
        "verify": Command("vcr_gen.cli.verify", "type-check wrappers and compare signatures"),
        "extract": Command("vcr_gen.cli.extract", "write a Protocol from an existing class"),
        "mark": Command("vcr_gen.cli.mark", "mark an existing Protocol as a boundary"),
        "cassette": Group(
            "inspect, check and rewrite cassettes",
            "vcr_gen.cli.cassette",
            {
                "list": "listing",
                "show": "show",
                "check": "check",
                "diff": "diff",
                "stats": "stats",
                "convert": "convert",
                "migrate": "migrate",
                "merge": "merge",
                "prune": "prune",
                "report": "report",
                "scan": "scan",
                "redact": "redact",
            },
        ),
        "http": Group(
            "record and replay the HTTP requests of any program",
            "vcr_gen.cli",
            {"proxy": "http_proxy"},
        ),
        "mcp": Group(
            "record MCP sessions, serve them, and test servers with them",
            "vcr_gen.cli.mcp",
            {
                "record": "mcp_record",
                "serve": "mcp_serve",
                "drive": "mcp_drive",
                "diff": "mcp_diff",
                "lint": "mcp_lint",
            },
        ),
        "demo": Command(
            "vcr_gen.cli.demo", "take the tour: generate, record, replay, catch a change"
        ),
    }
)


def run(arguments: Sequence[str]) -> int:
    """Run the command that the first argument names; the default is to generate."""
    if not arguments or arguments[0] not in COMMANDS:
        from vcr_gen.cli import generate

        return generate.run(generate.parser(COMMANDS).parse_args(arguments))
    parser = argparse.ArgumentParser(prog="vcr-gen")
    add_command(arguments[0], parser.add_subparsers(dest="command", required=True))
    parsed = parser.parse_args(arguments)
    exit_code: int = parsed.run(parsed)
    return exit_code


def add_command(name: str, subparsers: Subparsers) -> None:
    """Add the parser of a command, and those of its actions."""
    command = COMMANDS[name]
    if isinstance(command, Command):
        _add(name, command.module, subparsers)
        return
    group = subparsers.add_parser(name, description=f"{command.help[0].upper()}{command.help[1:]}.")
    actions: Any = group.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, module in command.actions.items():
        _add(action, f"{command.package}.{module}", actions)


def _add(name: str, module_name: str, subparsers: Subparsers) -> None:
    module = cast("CommandModule", import_module(module_name))
    module.add_parser(subparsers)
    subparsers.choices[name].set_defaults(run=module.run)
