"""`vcr-gen cassette redact`: replaces credentials in cassettes, which still replay."""

import argparse
from pathlib import Path

from vcr_gen.cassette_tools.find_secrets import find_secrets
from vcr_gen.cli.cassette.cassette_files import find_cassettes, write_cassette
from vcr_gen.cli.cassette.scan import read_scan_config
from vcr_gen.cli.outcome import FINE, FileNote, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options
from vcr_gen.errors import UsageError
from vcr_gen.runtime.codec.placeholders import placeholders_in
from vcr_gen.runtime.privacy import Redaction, Secrets
from vcr_gen.runtime.tape.reading import Reading, is_partial
from vcr_gen.runtime.tape.redact_entries import redact_entries
from vcr_gen.runtime.values.stored_values import Screen


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "redact",
        help="replace credentials in cassettes by placeholders",
        description=(
            "Replace credentials by placeholders. Files are replaced atomically and still replay. "
            "The old content may have leaked: rotate the credentials too."
        ),
    )
    add = parser.add_argument
    add("paths", nargs="+", type=Path, help="files and folders")
    add("--config", type=Path, metavar="FILE", help="a TOML file with [tool.vcr-gen] tables")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Rewrite the cassettes that contain credentials."""
    redaction = read_scan_config(arguments.config).redaction
    paths = find_cassettes(arguments.paths)
    found = {path: find_secrets(path, redaction) for path in paths}
    found = {path: findings for path, findings in found.items() if findings}
    for path in found:
        _rewrite(path, redaction)
    count = sum(map(len, found.values()))
    what = f"{counted(count, 'credential')} in {counted(len(found), 'file')} redacted"
    outcome = Outcome(
        code=FINE,
        files=[
            FileNote(str(path), "redacted", counted(len(findings), "credential"))
            for path, findings in found.items()
        ],
        summary=f"{counted(len(paths), 'cassette')}: {what}",
    )
    return print_outcome(outcome, Terminal.of(arguments))


def _rewrite(path: Path, redaction: Redaction) -> None:
    if is_partial(path):
        raise UsageError(
            f"{path} is an interrupted recording; partial files are not rewritten\n"
            f"  hint: vcr-gen cassette convert --salvage {path} NEW, or delete it"
        )
    with Reading(path) as reading:
        secrets = _redactor_of(reading, redaction)
        entries = redact_entries(reading, secrets, path, Screen(secrets).recorded)
        write_cassette(path, secrets.entry(reading.header), entries)


def _redactor_of(reading: Reading, redaction: Redaction) -> Secrets:
    """The redactor of a tape; it continues the numbering of existing placeholders."""
    names = placeholders_in(reading.header)
    for entry in reading:
        names |= placeholders_in(entry.data)
    secrets = Secrets(redaction)
    secrets.vault.record_on(names)
    return secrets
