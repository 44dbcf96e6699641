"""`vcr-gen cassette scan`: finds credentials in cassettes, also damaged ones, and hides them."""

import argparse
from dataclasses import asdict, dataclass
from pathlib import Path

from vcr_gen.cassette_tools.find_secrets import Finding, find_secrets
from vcr_gen.cli.cassette.cassette_files import add_paths, find_cassettes
from vcr_gen.cli.outcome import DIFFERENT, FINE, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options
from vcr_gen.errors import UsageError
from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.gen.settings.config_reader import load_options
from vcr_gen.runtime.privacy import DEFAULT_RULES, Redaction


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "scan",
        help="find credentials in cassettes",
        description=(
            "Find credentials in cassettes, including partial and damaged ones, and print their "
            "locations, not their values. Exit 1 if there are any."
        ),
    )
    add_paths(parser)
    add = parser.add_argument
    add("--config", type=Path, metavar="FILE", help="a TOML file with [tool.vcr-gen] tables")
    add("--rules", action="store_true", help="list the rules and exit")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Scan every file, also after findings in earlier ones."""
    terminal = Terminal.of(arguments)
    if arguments.rules:
        rules = Outcome(code=FINE, text="\n".join(DEFAULT_RULES))
        return print_outcome(rules, terminal)
    config = read_scan_config(arguments.config)
    paths = find_cassettes(arguments.paths)
    found = [
        finding
        for path in terminal.each(paths, "scanning")
        for finding in find_secrets(path, config.redaction)
    ]
    findings = [finding for finding in found if finding.fingerprint not in config.allowed]
    allowed = len(found) - len(findings)
    summary = (
        f"{counted(len(paths), 'cassette')}: "
        f"{counted(len(findings), 'credential') if findings else 'no credentials'}"
        f"{f', {allowed} allowed' if allowed else ''}"
    )
    if findings:
        summary += "\nhint: run vcr-gen cassette redact, then rotate the credentials"
    outcome = Outcome(
        code=DIFFERENT if findings else FINE,
        found=[_diagnostic(finding) for finding in findings],
        summary=summary,
        document={
            "cassettes": len(paths),
            "allowed": allowed,
            "findings": [asdict(finding) | {"path": str(finding.path)} for finding in findings],
        },
    )
    return print_outcome(outcome, terminal)


def _diagnostic(finding: Finding) -> Diagnostic:
    """A finding as a problem at its place."""
    message = f"{finding.rule}: {finding.shown} [{finding.fingerprint}]"
    return Diagnostic(str(finding.path), finding.line, 0, "", message, "")


@dataclass(frozen=True, slots=True)
class ScanConfig:
    """The rules of `scan` and `redact`, and the findings that `scan` ignores."""

    redaction: Redaction
    allowed: frozenset[str] = frozenset()
    """Fingerprints."""


def read_scan_config(file: Path | None) -> ScanConfig:
    """The configuration in `file`, or in the nearest `pyproject.toml`."""
    here = Path.cwd()
    options = load_options(here, "redaction", file=file)
    allowed = load_options(here, "scan", file=file).get("allow", ())
    try:
        return ScanConfig(Redaction(**options), frozenset(allowed))
    except UsageError as error:
        raise UsageError(f"[tool.vcr-gen.redaction]: {error}") from None
