"""Options and behaviour that several commands share."""

import argparse
import shlex
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path

from vcr_gen.cli.outcome import ERROR, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options
from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.settings.config import Config
from vcr_gen.gen.settings.config_reader import load_config

_EXTRA = ("libcst", "jinja2", "black", "mypy")


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command of the generator."""
    add = parser.add_argument
    add("--config", type=Path, metavar="FILE", help="use this pyproject.toml")
    add(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="override a setting of pyproject.toml, written as TOML: line-length=80",
    )
    add_output_options(parser)


def read_config(arguments: argparse.Namespace) -> Config:
    """The configuration of the current folder; options override the file."""
    file = arguments.config.resolve() if arguments.config else None
    return load_config(Path.cwd(), file=file, settings=arguments.set)


def fixing_command(arguments: argparse.Namespace, paths: Iterable[Path] = ()) -> str:
    """The command that brings the wrappers up to date, to run in the same folder."""
    chosen = ["--config", str(arguments.config)] if arguments.config else []
    settings = [word for setting in arguments.set for word in ("--set", setting)]
    return shlex.join(["vcr-gen", *chosen, *settings, *map(str, paths)])


def report_refusals(action: Callable[[], int], terminal: Terminal, *, then: str = "") -> int:
    """Run `action`; report a refusal in the chosen format, with `then` after the summary."""
    try:
        return action()
    except RefusedError as error:
        problems = error.diagnostics
    except OSError as error:
        if error.filename is None:
            raise  # our own output stream failed
        message = f"cannot be used: {error.strerror or error}"
        problems = (Diagnostic(str(error.filename), 0, 0, "VCR303", message, ""),)
    summary = counted(len(problems), "problem") + then
    return print_outcome(Outcome(code=ERROR, diagnostics=problems, summary=summary), terminal)


def require_extra() -> None:
    """Refuse to run, with an install command, when packages of the extra `gen` are missing."""
    missing = [name for name in _EXTRA if find_spec(name) is None]
    if missing:
        message = f"the generator needs packages that are not installed: {', '.join(missing)}"
        hint = 'pip install "vcr-gen[gen]"'
        raise RefusedError([Diagnostic("vcr-gen", 0, 0, "VCR410", message, hint)])
