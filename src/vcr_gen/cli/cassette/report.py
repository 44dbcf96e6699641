"""`vcr-gen cassette report`: writes an HTML page that shows a session."""

import argparse
from pathlib import Path

from vcr_gen.cli.outcome import FINE, Outcome, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options
from vcr_gen.runtime.tape.reading import target_of


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "report",
        help="write an HTML page that shows a session, or compares two",
        description="Write one self-contained HTML page that shows a session: a timeline, and "
        "every call with its values; with two cassettes, both side by side with their "
        "differences.",
    )
    add = parser.add_argument
    add("cassette", type=Path, help="a cassette, or the partial file of an interrupted recording")
    add("other", type=Path, nargs="?", help="a later recording, to compare it with")
    add(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="where to write it (default: NAME.html in the current folder)",
    )
    add("--force", action="store_true", help="replace a file that is not a report")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the page and print its path."""
    from vcr_gen.html_report.page import refuse_foreign
    from vcr_gen.html_report.session_report import write_comparison, write_report

    terminal = Terminal.of(arguments)
    cassette, other = arguments.cassette, arguments.other
    target = arguments.output or Path(_name(cassette, other))
    if not arguments.force:
        refuse_foreign(target)
    with terminal.progress("report") as progress:
        if other is None:
            write_report(target, cassette, progress=progress)
        else:
            write_comparison(target, cassette, other, progress=progress)
    return print_outcome(Outcome(code=FINE, text=str(target)), terminal)


def _name(cassette: Path, other: Path | None) -> str:
    """The default name of the page: the names of the cassettes without suffix."""
    stems = [target_of(path).stem for path in (cassette, other) if path is not None]
    return f"{'-and-'.join(dict.fromkeys(stems))}.html"
