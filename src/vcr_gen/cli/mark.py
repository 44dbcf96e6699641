"""`vcr-gen mark pkg.module:Class`: marks an existing Protocol as a boundary."""

import argparse
import stat

from vcr_gen.cli.common_options import (
    add_common_options,
    read_config,
    report_refusals,
    require_extra,
)
from vcr_gen.cli.outcome import FINE, FileNote, Outcome, print_outcome
from vcr_gen.cli.terminal import Terminal
from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.settings.config import Direction


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this command."""
    parser = subparsers.add_parser(
        "mark",
        description=(
            "Add @outbound or @inbound and its import to an existing Protocol. "
            "Changes nothing else in the file."
        ),
    )
    parser.add_argument("target", metavar="pkg.module:Class", help="a Protocol of the project")
    direction = parser.add_mutually_exclusive_group(required=True)
    direction.add_argument("--outbound", action="store_true", help="your program calls it")
    direction.add_argument("--inbound", action="store_true", help="the environment calls it")
    parser.add_argument("--name", help="its name in cassettes (default: the Protocol's)")
    add_common_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Mark the Protocol, and say in which file."""
    terminal = Terminal.of(arguments)
    return report_refusals(
        lambda: _run(arguments, terminal), terminal, then="; nothing was written"
    )


def _run(arguments: argparse.Namespace, terminal: Terminal) -> int:
    require_extra()
    from vcr_gen.gen.output.write import write_file
    from vcr_gen.gen.rewrite.mark_protocol import mark_protocol

    config = read_config(arguments)
    direction: Direction = "inbound" if arguments.inbound else "outbound"
    marking = mark_protocol(config, arguments.target, direction=direction, name=arguments.name)
    shown = config.display(marking.path)
    if marking.data is None:
        note = FileNote(shown, "unchanged", f"{marking.class_name} is already marked @{direction}")
        return print_outcome(Outcome(code=FINE, files=[note]), terminal)
    if not marking.path.stat().st_mode & stat.S_IWUSR:
        hint = "make it writable"
        raise RefusedError([Diagnostic(shown, 0, 0, "VCR303", "the file is read-only", hint)])
    write_file(marking.path.resolve(), marking.data)  # behind a link, where there is one
    note = FileNote(shown, "marked", f"{marking.class_name} is @{direction}")
    return print_outcome(Outcome(code=FINE, files=[note], summary="next: run vcr-gen"), terminal)
