"""The table of subcommands; the module of a command is imported only when it runs."""

import argparse
import difflib
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
        "demo": Command(
            "vcr_gen.cli.demo", "take the tour: generate, record, replay, catch a change"
        ),
    }
)


def run(arguments: Sequence[str]) -> int:
    """Run the subcommand that the first argument names; the default is to generate."""
    if not arguments or arguments[0] not in COMMANDS:
        from vcr_gen.cli import generate

        return generate.run(_parse(generate.parser(COMMANDS), arguments))
    module = cast("CommandModule", import_module(COMMANDS[arguments[0]].module))
    parser = argparse.ArgumentParser(prog="vcr-gen")
    module.add_parser(parser.add_subparsers(dest="command", required=True))
    return module.run(_parse(parser, arguments))


def _parse(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace:
    """Parse all arguments; `rest` holds the words after `--` for commands that take them."""
    used = _used_parser(parser, arguments)
    rest: list[str] = []
    if used.get_default("takes_rest") and "--" in arguments:
        cut = list(arguments).index("--")
        arguments, rest = arguments[:cut], list(arguments[cut + 1 :])
    _refuse_unknown_action(used, arguments)
    namespace, unknown = parser.parse_known_args(arguments)
    if unknown:
        used.error(f"unrecognized arguments: {' '.join(unknown)}{_meant(used, unknown[0])}")
    namespace.rest = rest
    return namespace


def _refuse_unknown_action(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Suggest the closest action; argparse would only list all of them."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            given = next((word for word in words[1:] if not word.startswith("-")), "")
            meant = difflib.get_close_matches(given, action.choices, n=1)
            if meant and given not in action.choices:
                parser.error(f"unknown action {given!r}; did you mean {meant[0]!r}?")


def _meant(parser: argparse.ArgumentParser, unknown: str) -> str:
    """A suggestion for an unknown argument."""
    if not unknown.startswith("-"):
        return "; put positional arguments together, before the options"
    known = [name for action in parser._actions for name in action.option_strings]
    meant = difflib.get_close_matches(unknown.partition("=")[0], known, n=1)
    return f"; did you mean {meant[0]}?" if meant else ""


def _used_parser(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of the command or action that the first words name."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) and words and words[0] in action.choices:
            return _used_parser(action.choices[words[0]], words[1:])
    return parser
