"""`vcr-gen extract pkg.module:Class`: derives an annotated Protocol from a class."""

import argparse
import os
from pathlib import Path

from vcr_gen.cli.common_options import (
    add_common_options,
    read_config,
    report_refusals,
    require_extra,
)
from vcr_gen.cli.outcome import FINE, FileNote, Outcome, print_outcome
from vcr_gen.cli.terminal import Terminal
from vcr_gen.gen.diagnostics import Diagnostic, RefusedError


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this command."""
    parser = subparsers.add_parser(
        "extract",
        description="Print an annotated Protocol of an existing class. Reads source only.",
    )
    add = parser.add_argument
    add("target", metavar="pkg.module:Class", help="a class of the project or a package")
    add("--name", help="the Protocol's name (default: the class's)")
    add("--inbound", action="store_true", help="the environment calls it (default: outbound)")
    add("-o", "--output", type=Path, metavar="FILE", help="write it to this new file")
    add_common_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the Protocol, or write it to a new file."""
    terminal = Terminal.of(arguments)
    return report_refusals(lambda: _run(arguments, terminal), terminal)


def _run(arguments: argparse.Namespace, terminal: Terminal) -> int:
    require_extra()
    from vcr_gen.gen.rendering.formatting import RenderedFile, format_files, style_of
    from vcr_gen.gen.rewrite.extract_protocol import extract

    config = read_config(arguments)
    extracted = extract(
        config,
        arguments.target,
        name=arguments.name,
        direction="inbound" if arguments.inbound else "outbound",
    )
    raw = RenderedFile(path=Path(arguments.target), text=extracted.text, style=style_of(config))
    (text,) = format_files(config, [raw]).values()
    if arguments.output is None:
        printed = Outcome(code=FINE, text=text, diagnostics=extracted.left_out)
        return print_outcome(printed, terminal)
    path = Path(os.path.abspath(arguments.output))
    shown = config.display(path)
    if os.path.lexists(path):
        message = "exists already, and is not overwritten"
        hint = "choose another file, or print the Protocol without -o"
        raise RefusedError([Diagnostic(shown, 0, 0, "VCR301", message, hint)])
    from vcr_gen.gen.output.write import write_file

    write_file(path, text)
    wrote = Outcome(
        code=FINE,
        files=[FileNote(shown, "wrote")],
        diagnostics=extracted.left_out,
        summary="next: look it over, name the Protocol instead of the class where your code takes "
        "one, and run vcr-gen",
    )
    return print_outcome(wrote, terminal)
