"""`vcr-gen cassette migrate`: rewrites cassettes to match the current Protocols."""

import argparse
import difflib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from vcr_gen.cli.cassette.cassette_files import (
    Watch,
    find_cassettes,
    inspect_cassette,
    recorded_by,
    write_cassette,
)
from vcr_gen.cli.cassette.project_wrappers import (
    Wrappers,
    add_config_option,
    describe_project_wrappers,
)
from vcr_gen.cli.outcome import DIFFERENT, FINE, counted
from vcr_gen.cli.terminal import Terminal, add_output_format
from vcr_gen.errors import EncodeError, UsageError
from vcr_gen.runtime.formats import format_for
from vcr_gen.runtime.plain import Plain, check_plain
from vcr_gen.runtime.privacy import redacting
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.tapes.migration import AddedParameter, MigrationOptions, Plan, plan_migration
from vcr_gen.tapes.recorded_signatures import Recorded, Signature
from vcr_gen.tapes.rewriting import Rewriter

__all__ = [
    "add_migration_options",
    "add_parser",
    "read_migration_options",
    "refuse_unknown_names",
    "run",
]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The result for one cassette."""

    path: Path
    plan: Plan
    changed: int
    """How many events changed."""

    @property
    def status(self) -> str:
        if self.plan.problems:
            return "refused"
        return "migrated" if self.plan.notes else "unchanged"


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "migrate",
        help="rewrite cassettes to match the current Protocols",
        description=(
            "Rewrite cassettes to match the project's wrappers. New parameters get their defaults; "
            "pass options for renamed and removed names. A cassette that cannot be migrated "
            "completely stays unchanged; the reason is printed, and the exit code is 1."
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
    add("--diff", action="store_true", help="write nothing; print what would change, and exit 1")
    add_migration_options(parser)
    add("--no-signatures", action="store_true", help="do not import the project's wrappers")
    add_config_option(parser)
    add_output_format(parser)
    add("-q", "--quiet", action="store_true", help="only print problems")


def run(arguments: argparse.Namespace) -> int:
    """Plan all migrations first, then rewrite the cassettes that can be migrated."""
    terminal = Terminal(quiet=arguments.quiet)
    options = read_migration_options(arguments)
    paths = find_cassettes(arguments.paths, partial=False)
    with terminal.progress("reading", percent=True) as draw:
        watch = Watch(paths, draw)
        inspections = [inspect_cassette(path, watch) for path in paths]
    for inspection in inspections:
        if inspection.problem is not None:
            raise inspection.problem
    recorded = {inspection.path: recorded_by(inspection) for inspection in inspections}
    refuse_unknown_names(options, recorded.values())
    wrappers = (
        Wrappers(None) if arguments.no_signatures else describe_project_wrappers(arguments.config)
    )
    outcomes = []
    show = (
        terminal.data
        if not (arguments.output_format == "json" or arguments.quiet)
        else _show_nothing
    )
    with terminal.progress("migrating") as draw:
        for number, path in enumerate(paths):
            draw(number, len(paths))
            plan = plan_migration(recorded[path], options, wrappers.described)
            outcomes.append(_look(path, plan, show) if arguments.diff else _rewrite(path, plan))
    if arguments.output_format == "json":
        terminal.document(_document(outcomes, wrappers, written=not arguments.diff))
    else:
        _tell(outcomes, wrappers, terminal, only_look=arguments.diff)
    bad = {"refused", "migrated"} if arguments.diff else {"refused"}
    return DIFFERENT if any(outcome.status in bad for outcome in outcomes) else FINE


def _rewrite(path: Path, plan: Plan) -> _Outcome:
    """Rewrite a cassette, if the plan has changes and no problems."""
    if plan.problems or not plan.notes:
        return _Outcome(path, plan, 0)
    rewriter = Rewriter(plan)
    changed = 0

    def events(reading: Reading) -> Iterator[Mapping[str, Plain]]:
        nonlocal changed
        for entry in reading:
            event = rewriter.event(entry.data)
            changed += event != entry.data
            yield event

    with Reading(path) as reading:
        write_cassette(path, rewriter.header(reading.header), events(reading))
    return _Outcome(path, plan, changed)


def _look(path: Path, plan: Plan, show: Callable[[str], None]) -> _Outcome:
    """Show what would change."""
    if plan.problems or not plan.notes:
        return _Outcome(path, plan, 0)
    rewriter = Rewriter(plan)
    chosen = format_for(path)
    changed = 0
    with Reading(path, change=redacting()) as reading:
        show(f"--- {path}\n+++ {path}")
        header = rewriter.header(reading.header)
        place = f"header, {path}:1"
        _show_change(place, chosen.header(reading.header), chosen.header(header), show)
        for number, entry in enumerate(reading, start=1):
            event = rewriter.event(entry.data)
            if event != entry.data:
                changed += 1
                place = f"event {number}, {path}:{entry.line}"
                _show_change(place, chosen.event(entry.data), chosen.event(event), show)
    return _Outcome(path, plan, changed)


def _show_change(place: str, old: bytes, new: bytes, show: Callable[[str], None]) -> None:
    lines = difflib.unified_diff(old.decode().splitlines(), new.decode().splitlines(), lineterm="")
    paint = Terminal().paint
    colors = {"-": "red", "+": "green"}
    for line in list(lines)[2:]:
        if line.startswith("@@"):
            show(paint(f"@@ {place} @@", "cyan"))
        else:
            show(paint(line, colors[line[0]]) if line[0] in colors else line)


def _show_nothing(text: str) -> None:
    """Print nothing."""


def _tell(
    outcomes: Sequence[_Outcome], wrappers: Wrappers, terminal: Terminal, *, only_look: bool
) -> None:
    for outcome in outcomes:
        for problem in outcome.plan.problems:
            terminal.data(f"{outcome.path}: {problem}")
        if outcome.status == "migrated" and not terminal.quiet:
            verb = "would change" if only_look else "migrated"
            terminal.note(f"{verb} {outcome.path}: {counted(outcome.changed, 'event')}")
            for note in outcome.plan.notes:
                terminal.note(f"  {note}")
    for remark in wrappers.remarks:
        terminal.note(remark)
    counts = dict.fromkeys(("migrated", "unchanged", "refused"), 0)
    for outcome in outcomes:
        counts[outcome.status] += 1
    words = {"migrated": "to migrate" if only_look else "migrated", "refused": "left as they were"}
    told = [f"{number} {words.get(word, word)}" for word, number in counts.items() if number]
    terminal.note(f"{counted(len(outcomes), 'cassette')}: {', '.join(told) or 'nothing to do'}")


def _document(
    outcomes: Sequence[_Outcome], wrappers: Wrappers, *, written: bool
) -> dict[str, object]:
    return {
        "written": written,
        "signatures_compared": wrappers.described is not None,
        "remarks": list(wrappers.remarks),
        "cassettes": [
            {
                "path": str(outcome.path),
                "status": outcome.status,
                "events": outcome.changed,
                "changes": list(outcome.plan.notes),
                "problems": list(outcome.plan.problems),
            }
            for outcome in outcomes
        ],
    }


def add_migration_options(parser: argparse.ArgumentParser) -> None:
    """Add the options, each of which may be repeated."""

    def add(option: str, metavar: str, text: str) -> None:
        parser.add_argument(option, action="append", default=[], metavar=metavar, help=text)

    add("--rename-boundary", "OLD=NEW", "a boundary was renamed")
    add("--rename-method", "SHELL.OLD=NEW", "a method was renamed: Shell.run=execute")
    add("--rename-parameter", "SHELL.RUN.OLD=NEW", "a parameter was renamed")
    add(
        "--add-parameter",
        "SHELL.RUN.NAME[: TYPE]=JSON",
        "add an argument to recorded calls; the type is needed if no wrapper declares it",
    )
    add("--remove-parameter", "SHELL.RUN.NAME", "remove an argument from recorded calls")
    add("--keep-values", "SHELL.RUN", "types changed, but the recorded values are still valid")


def read_migration_options(arguments: argparse.Namespace) -> MigrationOptions:
    """The migration options of the command line."""
    boundaries = dict(_pair("--rename-boundary", text) for text in arguments.rename_boundary)
    return MigrationOptions(
        boundaries=boundaries,
        methods=dict(_method(text, boundaries.values()) for text in arguments.rename_method),
        parameters=dict(map(_parameter, arguments.rename_parameter)),
        added=dict(map(_added, arguments.add_parameter)),
        removed={_place("--remove-parameter", text) for text in arguments.remove_parameter},
        kept=set(arguments.keep_values),
    )


def refuse_unknown_names(options: MigrationOptions, cassettes: Collection[Recorded]) -> None:
    """Raise if an option names something that no cassette has: probably a typo."""
    boundaries = set(chain.from_iterable(cassette.boundaries for cassette in cassettes))
    methods = set(chain.from_iterable(cassette.signatures for cassette in cassettes))
    parameters = {
        f"{name}.{parameter}"
        for cassette in cassettes
        for name, text in cassette.signatures.items()
        for parameter in getattr(Signature.read(text), "parameters", ())
    }
    new = set(options.boundaries.values())

    def check(what: str, names: Iterable[str], known: Collection[str]) -> None:
        for name in names:
            # A name may already be the new one; the plan checks it.
            if name in known or name.partition(".")[0] in new:
                continue
            meant = difflib.get_close_matches(name, sorted(known), n=1)
            hint = f"; did you mean {meant[0]!r}?" if meant else ""
            raise UsageError(f"no cassette has a {what} {name!r}{hint}")

    check("boundary", options.boundaries, boundaries)
    check("method", options.methods, methods)
    renamed = {f"{of.partition('.')[0]}.{to}" for of, to in options.methods.items()}
    known = methods | renamed
    check("method", [*(of for of, _ in options.added), *options.kept], known)
    named = {*options.parameters, *options.removed}
    check("parameter", [f"{of}.{name}" for of, name in named if of not in renamed], parameters)


def _pair(option: str, text: str) -> tuple[str, str]:
    old, sign, new = text.partition("=")
    if not (old and sign and new):
        raise UsageError(f"{option}: expected OLD=NEW; got {text!r}")
    return old, new


def _method(text: str, renamed: Iterable[str]) -> tuple[str, str]:
    old, new = _pair("--rename-method", text)
    boundary, dot, _ = old.partition(".")
    if not dot:
        raise UsageError(f"--rename-method: expected Boundary.method=NEW; got {text!r}")
    for prefix in (boundary, *renamed):  # the new name may include its boundary
        new = new.removeprefix(f"{prefix}.")
    return old, new


def _parameter(text: str) -> tuple[tuple[str, str], str]:
    old, new = _pair("--rename-parameter", text)
    return _place("--rename-parameter", old), new.rpartition(".")[2]


def _added(text: str) -> tuple[tuple[str, str], AddedParameter]:
    head, sign, value = text.partition("=")
    place, _, type_ = head.partition(":")
    if not sign:
        raise UsageError(f"--add-parameter: expected Boundary.method.name=VALUE; got {text!r}")
    return _place("--add-parameter", place.strip()), AddedParameter(
        _json(text, value), type_.strip()
    )


def _json(text: str, value: str) -> Plain:
    try:
        plain: Plain = json.loads(value)
        check_plain(plain)
    except (ValueError, EncodeError) as error:
        raise UsageError(
            f"--add-parameter: the value in {text!r} must be JSON (text in double quotes): {error}"
        ) from None
    return plain


def _place(option: str, text: str) -> tuple[str, str]:
    method, _, name = text.rpartition(".")
    if not name.isidentifier() or "." not in method:
        raise UsageError(f"{option}: expected Boundary.method.parameter; got {text!r}")
    return method, name
