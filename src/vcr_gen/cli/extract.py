"""`vcr-gen extract pkg.module:Class`: writes an annotated Protocol from an existing class."""

import argparse
import difflib
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from vcr_gen.cli.common_options import (
    add_common_options,
    read_config,
    report_refusals,
    require_extra,
)
from vcr_gen.cli.outcome import DIFFERENT, FINE, Outcome, print_outcome
from vcr_gen.cli.terminal import Terminal
from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.settings.config import Config

__all__ = ["add_parser", "run"]


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this command."""
    parser = subparsers.add_parser(
        "extract",
        description="Write an annotated Protocol from an existing class. Reads source only.",
    )
    add = parser.add_argument
    add("target", metavar="pkg.module:Class", help="a class of the project or a package")
    add("--name", help="the Protocol's name (default: the class's)")
    add("--inbound", action="store_true", help="the environment calls it (default: outbound)")
    add("--yes", action="store_true", help="write without asking")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--stdout", action="store_true", help="print the Protocol, write nothing")
    where.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to write it")
    add_common_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show what would be written, ask, and write it."""
    terminal = Terminal.of(arguments)
    return report_refusals(lambda: _run(arguments, terminal), terminal)


def _run(arguments: argparse.Namespace, terminal: Terminal) -> int:
    require_extra()
    from vcr_gen.gen.rendering.formatting import Text, format_texts, style_of
    from vcr_gen.gen.rewrite.extract_protocol import extract

    config = read_config(arguments)
    extracted = extract(
        config,
        arguments.target,
        name=arguments.name,
        direction="inbound" if arguments.inbound else "outbound",
    )
    raw = Text(arguments.target, extracted.text, style_of(config))
    (text,) = format_texts([raw], advance=lambda _: None)
    if arguments.stdout:
        return print_outcome(
            Outcome(code=FINE, text=text, diagnostics=extracted.left_out), terminal
        )
    path = Path(
        os.path.abspath(arguments.output or _beside(config, extracted.source, arguments.target))
    )
    offer = _offer(config.display(path), path, text, extracted.left_out)
    in_words = terminal.output_format == "text"
    agreed = arguments.yes
    if in_words and not agreed:
        print_outcome(offer, terminal)
        offer = Outcome(code=DIFFERENT)  # all that is said already need not be said again
        agreed = _agreed(config.display(path))
    if not agreed:
        summary = "nothing was written; --yes writes without asking"
        return print_outcome(replace(offer, summary=summary), terminal)
    from vcr_gen.gen.output.write import write_file

    write_file(path, text)
    summary = (
        f"wrote {config.display(path)}; next: look it over, name the Protocol instead of the class "
        "where your code takes one, and run vcr-gen"
    )
    return print_outcome(replace(offer, code=FINE, summary=summary), terminal)


def _offer(shown: str, path: Path, text: str, left_out: Sequence[Diagnostic]) -> Outcome:
    """What would be written; nothing is ever overwritten."""
    if os.path.lexists(path):
        message = "exists already, and is not overwritten"
        hint = "choose another file with -o FILE, or print the Protocol with --stdout"
        raise RefusedError([Diagnostic(shown, 0, 0, "VCR301", message, hint)])
    lines = text.splitlines(keepends=True)
    diff = "".join(difflib.unified_diff([], lines, "/dev/null", f"b/{shown}"))
    return Outcome(code=DIFFERENT, diff=diff, diagnostics=left_out)


def _agreed(shown: str) -> bool:
    """Ask the user; without a terminal the answer is no."""
    if not sys.stdin.isatty():
        return False
    sys.stdout.flush()
    print(f"write {shown}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _beside(config: Config, source: Path, target: str) -> Path:
    """Next to a class of the project; for one from elsewhere in the project's package."""
    if any(source.is_relative_to(folder) for folder in config.sources):
        stem = source.parent.name if source.stem == "__init__" else source.stem
        return source.parent / f"{stem}_boundary.py"
    module = target.partition(":")[0].rpartition(".")[2]
    return _package(config.sources[0]) / f"{module.strip('_')}_boundary.py"


def _package(folder: Path) -> Path:
    """The only package in a source folder; the folder itself where there is none or another."""
    packages = (path.parent for path in folder.glob("*/__init__.py"))
    found = [package for package in packages if package.name not in {"test", "tests"}]
    return found[0] if len(found) == 1 else folder
