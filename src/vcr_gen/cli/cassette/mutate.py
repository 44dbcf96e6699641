"""`vcr-gen cassette mutate`: would this test notice if the program said something else?"""

import argparse
import json
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
from vcr_gen.runtime.tape.mutate_override import VARIABLE, stand_in_for
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.tapes.alterations import Site, altered, another, find_sites, sample

__all__ = ["add_parser", "run"]

_JSON_VERSION: Final = 1
_LAST_LINES: Final = 20


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "mutate",
        help="alter one outbound value at a time: does the test notice?",
        usage=(
            "%(prog)s [-h] [--limit N] [-j N] [--timeout SECONDS] [--output-format {text,json}] "
            "[-q] CASSETTE -- TEST"
        ),
        description=(
            "Run a test again and again, each time with one value altered that the program says "
            "and the cassette compares, and tell which alterations it lets through. The cassette "
            "itself is not touched: altered copies are replayed in its place. Exit 0 when all "
            "were noticed, 1 when some were not."
        ),
    )
    add = parser.add_argument
    add("path", type=Path, metavar="CASSETTE", help="the cassette; behind --, what runs the test")
    add("--limit", type=int, default=100, metavar="N", help="at most so many runs (default: 100)")
    add("-j", "--jobs", type=int, default=1, metavar="N", help="so many at a time (default: 1)")
    add(
        "--timeout", type=float, default=300.0, metavar="SECONDS", help="for one run (default: 300)"
    )
    add_output_format(parser)
    add("-q", "--quiet", action="store_true", help="print only what was not noticed")
    parser.set_defaults(takes_rest=True)


@dataclass
class _Field:
    """One field of a method, and how its alterations fared."""

    of: str
    path: str
    noticed: int = 0
    missed: list[Site] = field(default_factory=list)

    @property
    def tried(self) -> int:
        return self.noticed + len(self.missed)


def run(arguments: argparse.Namespace) -> int:
    """Alter, run, and report."""
    command = _command(arguments.rest)
    if arguments.limit < 1 or arguments.jobs < 1:
        raise UsageError("--limit and --jobs must be at least 1")
    with Reading(arguments.path) as reading:
        entries = list(reading)
        header = reading.header
    recorded_with = Header.read(header, arguments.path)
    sites = list(find_sites(entries, arguments.path))
    if not sites:
        raise UsageError(f"{arguments.path}: nothing in it is compared: there is nothing to alter")
    chosen = sample(sites, arguments.limit)
    terminal = Terminal(quiet=arguments.quiet or arguments.output_format == "json")
    with tempfile.TemporaryDirectory(prefix="vcr-gen-mutate-") as folder:
        tests = _Tests(arguments.path, header, entries, Path(folder), command, arguments.timeout)
        tests.refuse_unsuited()
        fields = _try(tests, chosen, arguments.jobs, terminal)
    missed = sum(len(each.missed) for each in fields)
    if arguments.output_format == "json":
        document = _document(arguments.path, len(sites), fields, recorded_with)
        terminal.data(json.dumps(document, indent=2))
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
    """Runs the test with a copy of the cassette in its place."""

    path: Path
    header: Mapping[str, Plain]
    entries: Sequence[Entry]
    folder: Path
    command: Sequence[str]
    timeout: float

    def refuse_unsuited(self) -> None:
        """Make sure that the test passes as it is, and does read this cassette."""
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
        """Whether the test fails when that value is another one."""
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
        environment[VARIABLE] = stand_in_for(self.path, copy)
        options = environment.get("PYTEST_ADDOPTS", "")  # failures on purpose are not for --lf
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
    for site in sorted(missed, key=lambda one: (one.entry, one.path.text)):
        fields[site.of, site.field].missed.append(site)
    return list(fields.values())


def _tell(
    fields: Iterable[_Field], header: Header, terminal: Terminal, *, only_missed: bool
) -> None:
    rows = [
        [
            "not noticed" if one.missed else "noticed",
            f"{len(one.missed) if one.missed else one.noticed} of {one.tried}",
            f"{one.of} {one.path}",
            "; ".join(_reasons(one, header)) if one.missed else "",
        ]
        for one in fields
        if one.missed or not only_missed
    ]
    if rows:
        terminal.data(table(rows))


def _reasons(one: _Field, header: Header) -> list[str]:
    """What lets alterations of a field through, as far as the cassette's header says it."""
    boundary, _, _ = one.of.partition(".")
    places = [site.path for site in one.missed]
    found = [
        f"{of} {path}: {how}"
        for of, paths in header.rules.items()
        if of in ("*", one.of, boundary)
        for path, how in paths.items()
        if any(parse_path(path).covers(place) for place in places)
    ]
    for word, chosen in (("strategy", header.strategy), ("order", header.order)):
        each = chosen.get(boundary) if isinstance(chosen, dict) else chosen
        if each is not None:
            found.append(f"{word}: {each}")
    if any(isinstance(site.value, str) and is_placeholder(site.value) for site in one.missed):
        found.append("a secret: which one it is does not count")
    return found or ["a rule that is newer than the recording, whose header does not have it"]


def _document(
    path: Path, found: int, fields: Sequence[_Field], header: Header
) -> dict[str, object]:
    return {
        "version": _JSON_VERSION,
        "cassette": str(path),
        "compared_values": found,
        "alterations": sum(one.tried for one in fields),
        "not_noticed": sum(len(one.missed) for one in fields),
        "fields": [
            {
                "method": one.of,
                "path": one.path,
                "alterations": one.tried,
                "noticed": one.noticed,
                "because": _reasons(one, header) if one.missed else [],
                "not_noticed": [
                    {
                        "path": site.path.text,
                        "event": site.entry + 1,
                        "line": site.line,
                        "recorded": site.value,
                        "altered": another(site.value),
                    }
                    for site in one.missed
                ],
            }
            for one in fields
        ],
    }


def _command(rest: Sequence[str]) -> list[str]:
    if not rest:
        raise UsageError(
            "there is no command to run the test\n\n"
            "hint: vcr-gen cassette mutate CASSETTE -- pytest tests/test_it.py"
        )
    beside = str(Path(sys.executable).parent)  # `pytest` means that of our own environment
    found = shutil.which(rest[0], path=beside) or shutil.which(rest[0])
    if found is None:
        raise UsageError(f"{rest[0]}: there is no such command")
    return [found, *rest[1:]]
