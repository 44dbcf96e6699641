"""`vcr-gen cassette mutate`: does a test notice when the program sends a different value?"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from vcr_gen.cli.cassette.cassette_files import write_cassette
from vcr_gen.cli.outcome import DIFFERENT, FINE, counted
from vcr_gen.cli.terminal import Terminal, add_output_format, table
from vcr_gen.errors import UsageError
from vcr_gen.paths import parse_path
from vcr_gen.runtime.codec.placeholders import is_placeholder
from vcr_gen.runtime.formats import Entry
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.mutate_override import VARIABLE, override_value
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.tapes.alterations import Site, altered, another, find_sites, sample

__all__ = ["add_parser", "run"]

_LAST_LINES: Final = 20


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "mutate",
        help="alter outbound values one at a time and check that the test fails",
        usage=(
            "%(prog)s [-h] [--limit N] [-j N] [--timeout SECONDS] [--output-format {text,json}] "
            "[-q] CASSETTE -- TEST"
        ),
        description=(
            "Run a test repeatedly, each time with one compared outbound value altered, and report "
            "the alterations that the test does not notice. The cassette itself stays unchanged: "
            "the test replays altered copies. Exit 0 if all alterations were noticed, else 1."
        ),
    )
    add = parser.add_argument
    add("path", type=Path, metavar="CASSETTE", help="the cassette; the test command follows --")
    add("--limit", type=int, default=100, metavar="N", help="maximum number of runs (default: 100)")
    add("-j", "--jobs", type=int, default=1, metavar="N", help="parallel runs (default: 1)")
    add(
        "--timeout",
        type=float,
        default=300.0,
        metavar="SECONDS",
        help="timeout of one run (default: 300)",
    )
    add_output_format(parser)
    add("-q", "--quiet", action="store_true", help="print unnoticed alterations only")
    parser.set_defaults(takes_rest=True)


@dataclass
class _Field:
    """A field of a method, and how many of its alterations the test noticed."""

    of: str
    path: str
    noticed: int = 0
    missed: list[Site] = field(default_factory=list)

    @property
    def tried(self) -> int:
        return self.noticed + len(self.missed)


def run(arguments: argparse.Namespace) -> int:
    """Alter values, run the test, and report unnoticed alterations."""
    command = _command(arguments.rest)
    if arguments.limit < 1 or arguments.jobs < 1:
        raise UsageError("--limit and --jobs must be at least 1")
    with Reading(arguments.path) as reading:
        entries = list(reading)
        header = reading.header
    recorded_with = Header.read(header, arguments.path)
    sites = list(find_sites(entries, arguments.path))
    if not sites:
        raise UsageError(f"{arguments.path}: nothing to alter: the cassette has no compared values")
    chosen = sample(sites, arguments.limit)
    terminal = Terminal(quiet=arguments.quiet or arguments.output_format == "json")
    with tempfile.TemporaryDirectory(prefix="vcr-gen-mutate-") as folder:
        tests = _Tests(arguments.path, header, entries, Path(folder), command, arguments.timeout)
        tests.refuse_unsuited()
        fields = _try(tests, chosen, arguments.jobs, terminal)
    missed = sum(len(each.missed) for each in fields)
    if arguments.output_format == "json":
        document = _document(arguments.path, len(sites), fields, recorded_with)
        terminal.document(document)
        return DIFFERENT if missed else FINE
    _tell(fields, recorded_with, terminal, only_missed=arguments.quiet)
    left_out = f" (of {len(sites)}; --limit tries more)" if len(chosen) < len(sites) else ""
    noticed = len(chosen) - missed
    terminal.note(
        f"{counted(len(chosen), 'alteration')}{left_out} of {counted(len(fields), 'field')}: "
        f"{noticed} noticed, {missed} not"
    )
    return DIFFERENT if missed else FINE


@dataclass(frozen=True)
class _Tests:
    """Runs the test with an altered copy of the cassette."""

    path: Path
    header: Mapping[str, Plain]
    entries: Sequence[Entry]
    folder: Path
    command: Sequence[str]
    timeout: float

    def refuse_unsuited(self) -> None:
        """Check that the test passes unaltered and reads this cassette."""
        copy = self.folder / f"same{self.path.suffix}"
        shutil.copyfile(self.path, copy)
        code, output = self._run(copy)
        if code != 0:
            last = "\n".join(f"  {line}" for line in output.splitlines()[-_LAST_LINES:])
            raise UsageError(
                f"the test must pass before anything is altered; it ended with {code}:\n{last}"
            )
        broken = self.folder / f"broken{self.path.suffix}"
        broken.write_text("this is no cassette\n", encoding="utf-8")
        code, _ = self._run(broken)
        if code == 0:
            raise UsageError(
                f"the command never replays {self.path}: it passes with a broken one too\n\n"
                "hint: name the cassette that this test opens"
            )

    def notices(self, number: int, site: Site) -> bool:
        """Whether the test fails when a value is altered."""
        copy = self.folder / f"{number}{self.path.suffix}"
        events = (
            altered(site, entry.data) if i == site.entry else entry.data
            for i, entry in enumerate(self.entries)
        )
        write_cassette(copy, self.header, events)
        code, _ = self._run(copy)
        copy.unlink()
        return code != 0

    def _run(self, copy: Path) -> tuple[int, str]:
        environment = {name: text for name, text in os.environ.items() if name != "VCR_RECORD"}
        environment[VARIABLE] = override_value(self.path, copy)
        options = environment.get("PYTEST_ADDOPTS", "")  # keep intended failures out of --lf
        environment["PYTEST_ADDOPTS"] = f"{options} -p no:cacheprovider".strip()
        try:
            done = subprocess.run(
                self.command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=self.timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return -1, f"it took longer than {self.timeout} seconds"
        except OSError as error:
            raise UsageError(f"{self.command[0]}: cannot be run: {error.strerror}") from None
        return done.returncode, done.stdout.decode(errors="replace")


def _try(tests: _Tests, sites: Sequence[Site], jobs: int, terminal: Terminal) -> list[_Field]:
    fields: dict[tuple[str, str], _Field] = {}
    for site in sites:
        fields.setdefault((site.of, site.field), _Field(site.of, site.field))
    with terminal.progress("altering") as draw, ThreadPoolExecutor(jobs) as pool:
        runs = {pool.submit(tests.notices, i, site): site for i, site in enumerate(sites)}
        missed: list[Site] = []
        for done, finished in enumerate(as_completed(runs), start=1):
            site = runs[finished]
            if finished.result():
                fields[site.of, site.field].noticed += 1
            else:
                missed.append(site)
            draw(done, len(sites))
    for site in sorted(missed, key=lambda site: (site.entry, site.path.text)):
        fields[site.of, site.field].missed.append(site)
    return list(fields.values())


def _tell(
    fields: Iterable[_Field], header: Header, terminal: Terminal, *, only_missed: bool
) -> None:
    rows = [
        [
            "not noticed" if field.missed else "noticed",
            f"{len(field.missed) if field.missed else field.noticed} of {field.tried}",
            f"{field.of} {field.path}",
            "; ".join(_reasons(field, header)) if field.missed else "",
        ]
        for field in fields
        if field.missed or not only_missed
    ]
    if rows:
        terminal.data(table(rows))


def _reasons(field: _Field, header: Header) -> list[str]:
    """Why alterations of a field pass, as far as the cassette's header shows."""
    boundary, _, _ = field.of.partition(".")
    places = [site.path for site in field.missed]
    found = [
        f"{of} {path}: {how}"
        for of, paths in header.rules.items()
        if of in ("*", field.of, boundary)
        for path, how in paths.items()
        if any(parse_path(path).covers(place) for place in places)
    ]
    for word, chosen in (("strategy", header.strategy), ("order", header.order)):
        each = chosen.get(boundary) if isinstance(chosen, dict) else chosen
        if each is not None:
            found.append(f"{word}: {each}")
    if any(isinstance(site.value, str) and is_placeholder(site.value) for site in field.missed):
        found.append("a secret: its value is not compared")
    return found or ["a rule that was added after the recording"]


def _document(
    path: Path, found: int, fields: Sequence[_Field], header: Header
) -> dict[str, object]:
    return {
        "cassette": str(path),
        "compared_values": found,
        "alterations": sum(field.tried for field in fields),
        "not_noticed": sum(len(field.missed) for field in fields),
        "fields": [
            {
                "method": field.of,
                "path": field.path,
                "alterations": field.tried,
                "noticed": field.noticed,
                "because": _reasons(field, header) if field.missed else [],
                "not_noticed": [
                    {
                        "path": site.path.text,
                        "event": site.entry + 1,
                        "line": site.line,
                        "recorded": site.value,
                        "altered": another(site.value),
                    }
                    for site in field.missed
                ],
            }
            for field in fields
        ],
    }


def _command(rest: Sequence[str]) -> list[str]:
    if not rest:
        raise UsageError(
            "the command that runs the test is missing\n\n"
            "hint: vcr-gen cassette mutate CASSETTE -- pytest tests/test_it.py"
        )
    beside = str(Path(sys.executable).parent)  # use the pytest of our own environment
    found = shutil.which(rest[0], path=beside) or shutil.which(rest[0])
    if found is None:
        raise UsageError(f"{rest[0]}: command not found")
    return [found, *rest[1:]]
