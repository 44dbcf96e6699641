"""`vcr-gen cassette scan`: finds credentials in cassettes without showing them."""

import argparse
from dataclasses import asdict
from pathlib import Path

from vcr_gen.cli.cassette.cassette_files import add_paths, find_cassettes
from vcr_gen.cli.outcome import DIFFERENT, FINE, Outcome, counted, print_outcome
from vcr_gen.cli.scan_config import read_scan_config
from vcr_gen.cli.terminal import Terminal, add_output_options
from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.runtime.privacy import DEFAULT_RULES
from vcr_gen.tapes.findings import Finding, find_secrets

__all__ = ["add_parser", "run"]


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
    add("--entropy", action="store_true", help="also report words that only look random")
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
        for path in paths
        for finding in find_secrets(path, config.redaction, entropy=arguments.entropy)
    ]
    findings = [finding for finding in found if not config.allows(finding)]
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
        text="\n".join(map(str, findings)),
        annotations=[_annotation(finding) for finding in findings],
        summary=summary,
        document={
            "cassettes": len(paths),
            "allowed": allowed,
            "findings": [asdict(finding) | {"path": str(finding.path)} for finding in findings],
        },
    )
    return print_outcome(outcome, terminal)


def _annotation(finding: Finding) -> Diagnostic:
    message = f"{finding.rule}: {finding.shown} [{finding.fingerprint}]"
    return Diagnostic(str(finding.path), finding.line, 0, "", message, "")
