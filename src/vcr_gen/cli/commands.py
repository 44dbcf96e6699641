"""The commands and where each one lives; a command's module is imported when it is used."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Final, Protocol, cast

__all__ = ["COMMANDS", "Command", "CommandModule", "run"]


class CommandModule(Protocol):
    """What the module of a command offers."""

    def add_parser(self, subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
        """Add the command's own parser, named like the command."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do the work and return the exit code."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of its own, beside generating."""

    module: str
    help: str


COMMANDS: Final[Mapping[str, Command]] = MappingProxyType(
    {
        "verify": Command("vcr_gen.cli.verify", "type-check wrappers and compare signatures"),
        "extract": Command("vcr_gen.cli.extract", "write a Protocol from an existing class"),
        "cassette": Command("vcr_gen.cli.cassette", "look at, check and rewrite cassettes"),
        "demo": Command("vcr_gen.cli.demo", "the tour: generate, record, replay, catch a change"),
    }
)


def run(arguments: Sequence[str]) -> int:
    """Run the command that the first argument names; without one, generate."""
    if not arguments or arguments[0] not in COMMANDS:
        from vcr_gen.cli import generate

        return generate.run(generate.parser(COMMANDS).parse_args(arguments))
    module = cast("CommandModule", import_module(COMMANDS[arguments[0]].module))
    parser = argparse.ArgumentParser(prog="vcr-gen")
    module.add_parser(parser.add_subparsers(dest="command", required=True))
    return module.run(parser.parse_args(arguments))
