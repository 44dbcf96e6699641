"""`vcr-gen cassette scan`: finds credentials in cassettes without showing them."""

import argparse
from pathlib import Path

from vcr_gen.cli.cassette.cassette_files import find_cassettes
from vcr_gen.cli.outcome import DIFFERENT, FINE, counted
from vcr_gen.cli.scan_config import read_scan_config
from vcr_gen.cli.terminal import Terminal, add_output_format
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
    add = parser.add_argument
    add(
        "paths",
        nargs="*",
        type=Path,
        default=[Path()],
        help="files and folders (default: current folder)",
    )
    add("--entropy", action="store_true", help="also report words that only look random")
    add("--config", type=Path, metavar="FILE", help="a TOML file with [tool.vcr-gen] tables")
    add_output_format(parser)
    add("--rules", action="store_true", help="list the rules and exit")
    add("-q", "--quiet", action="store_true", help="print findings only")


def run(arguments: argparse.Namespace) -> int:
    """Scan every file, also after findings in earlier ones."""
    terminal = Terminal(quiet=arguments.quiet)
    if arguments.rules:
        terminal.data("\n".join(DEFAULT_RULES))
        return FINE
    config = read_scan_config(arguments.config)
    files = allowed = 0
    findings: list[Finding] = []
    for path in find_cassettes(arguments.paths):
        files += 1
        for finding in find_secrets(path, config.redaction, entropy=arguments.entropy):
            if config.allows(finding):
                allowed += 1
            elif arguments.output_format == "json":
                findings.append(finding)
            else:
                findings.append(finding)
                terminal.data(str(finding))
    if arguments.output_format == "json":
        terminal.document(_document(files, findings, allowed))
    else:
        found = counted(len(findings), "credential") if findings else "no credentials"
        spared = f", {allowed} allowed" if allowed else ""
        terminal.note(f"{counted(files, 'cassette')}: {found}{spared}")
        if findings:
            terminal.note("hint: run vcr-gen cassette redact, then rotate the credentials")
    return DIFFERENT if findings else FINE


def _document(files: int, findings: list[Finding], allowed: int) -> dict[str, object]:
    return {
        "cassettes": files,
        "allowed": allowed,
        "findings": [
            {
                "path": str(finding.path),
                "line": finding.line,
                "rule": finding.rule,
                "shown": finding.shown,
                "fingerprint": finding.fingerprint,
            }
            for finding in findings
        ],
    }
