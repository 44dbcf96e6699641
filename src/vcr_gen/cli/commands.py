"""The commands and where each one lives; a command's module is imported when it is used."""

import argparse
import difflib
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
        "mark": Command("vcr_gen.cli.mark", "mark an existing Protocol as a boundary"),
        "cassette": Command("vcr_gen.cli.cassette.actions", "look at, check and rewrite cassettes"),
        "demo": Command("vcr_gen.cli.demo", "the tour: generate, record, replay, catch a change"),
    }
)


def run(arguments: Sequence[str]) -> int:
    """Run the command that the first argument names; without one, generate."""
    if not arguments or arguments[0] not in COMMANDS:
        from vcr_gen.cli import generate

        return generate.run(_parse(generate.parser(COMMANDS), arguments))
    module = cast("CommandModule", import_module(COMMANDS[arguments[0]].module))
    parser = argparse.ArgumentParser(prog="vcr-gen")
    module.add_parser(parser.add_subparsers(dest="command", required=True))
    return module.run(_parse(parser, arguments))


def _parse(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace:
    """The arguments, all of them understood; `rest` is what stands behind `--`, where it counts."""
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
    """Say which action was meant: argparse only lists them all."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            given = next((word for word in words[1:] if not word.startswith("-")), "")
            meant = difflib.get_close_matches(given, action.choices, n=1)
            if meant and given not in action.choices:
                parser.error(f"there is no action {given!r}; did you mean {meant[0]!r}?")


def _meant(parser: argparse.ArgumentParser, unknown: str) -> str:
    """What to tell who mistyped an argument."""
    if not unknown.startswith("-"):
        return "; arguments without a dash stand together, before the options"
    known = [name for action in parser._actions for name in action.option_strings]
    meant = difflib.get_close_matches(unknown.partition("=")[0], known, n=1)
    return f"; did you mean {meant[0]}?" if meant else ""


def _used_parser(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of the command, or of its action, that the first words name."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) and words and words[0] in action.choices:
            return _used_parser(action.choices[words[0]], words[1:])
    return parser
