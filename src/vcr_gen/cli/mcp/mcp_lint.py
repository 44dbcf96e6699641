"""`vcr-gen mcp lint`: checks what a recorded server tells the model that uses it."""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from vcr_gen.cassette_tools.find_secrets import find_secrets
from vcr_gen.cli.cassette.scan import read_scan_config
from vcr_gen.cli.mcp.server_commands import require_mcp
from vcr_gen.cli.outcome import DIFFERENT, FINE, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options
from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.runtime.privacy import Redaction

if TYPE_CHECKING:
    from vcr_gen.boundaries.mcp.listings.session_lint import LintFinding


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "lint",
        help="check what a recorded server tells a model",
        description=(
            "Check the names and descriptions that a recorded server lists, and its results: "
            "orders to the model, hidden characters, encoded text, names that look alike, "
            "credentials, and texts that changed since a baseline. Exit 1 if there is a finding."
        ),
    )
    add = parser.add_argument
    add("cassette", type=Path, metavar="FILE", help="the cassette")
    add("--baseline", type=Path, metavar="FILE", help="an earlier session with the server")
    add("--config", type=Path, metavar="FILE", help="a TOML file with [tool.vcr-gen] tables")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the findings, without those that are allowed."""
    require_mcp(arguments)
    from vcr_gen.boundaries.mcp.listings.recorded_listings import read_sessions
    from vcr_gen.boundaries.mcp.listings.session_lint import RESULTS, lint_sessions

    terminal = Terminal.of(arguments)
    config = read_scan_config(arguments.config)
    path = arguments.cassette
    sessions = read_sessions(path)
    baseline = read_sessions(arguments.baseline) if arguments.baseline else None
    found = [*lint_sessions(sessions, baseline), *_credentials(path, config.redaction)]
    findings = [each for each in found if each.fingerprint not in config.allowed]
    allowed = len(found) - len(findings)
    listings = [each for session in sessions.values() for each in session.listings.values()]
    items = sum(len(listing.items) for each in listings for listing in each)
    requests = [each for session in sessions.values() for each in session.requests]
    results = sum(each.method in RESULTS and each.status == "returned" for each in requests)
    summary = (
        f"{counted(items, 'listed item')}, {counted(results, 'result')}: {_counts(findings)}"
        f"{f'; {allowed} allowed' if allowed else ''}"
    )
    outcome = Outcome(
        code=DIFFERENT if findings else FINE,
        found=[_diagnostic(each) for each in findings],
        summary=summary,
        document={
            "items": items,
            "results": results,
            "allowed": allowed,
            "findings": [
                asdict(each)
                | {"path": str(each.path), "severity": each.severity, "hint": each.hint}
                for each in findings
            ],
        },
    )
    return print_outcome(outcome, terminal)


def _counts(findings: "Sequence[LintFinding]") -> str:
    if not findings:
        return "no findings"
    counts = Counter(finding.severity for finding in findings)
    kinds = (f"{number} {severity}" for severity, number in sorted(counts.items()))
    return f"{counted(len(findings), 'finding')} ({', '.join(kinds)})"


def _diagnostic(finding: "LintFinding") -> Diagnostic:
    owner = f"{finding.server}:" if finding.server else ""
    what = " ".join(part for part in (owner, finding.kind, finding.name) if part)
    field = f": {finding.field}" if finding.field else ""
    shown = f": {finding.excerpt}" if finding.excerpt else ""
    message = (
        f"{what}{field}: {finding.message}{shown} ({finding.severity}) [{finding.fingerprint}]"
    )
    return Diagnostic(str(finding.path), finding.line, 0, finding.code, message, finding.hint)


def _credentials(path: Path, redaction: Redaction) -> "list[LintFinding]":
    """What `vcr-gen cassette scan` finds in the file."""
    from vcr_gen.boundaries.mcp.listings.session_lint import LintFinding

    return [
        LintFinding(
            code="secret",
            path=path,
            line=each.line,
            server="",
            kind="server",
            name="",
            field="",
            excerpt=each.shown,
            message=f"a credential: {each.rule}",
            fingerprint=each.fingerprint,
        )
        for each in find_secrets(path, redaction)
    ]
