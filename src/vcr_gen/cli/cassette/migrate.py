"""`vcr-gen cassette migrate`: rewrites cassettes to match the current Protocols."""

import argparse
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from vcr_gen.cassette_tools.describe_wrappers import describe_project
from vcr_gen.cassette_tools.migration import (
    Edits,
    Plan,
    Recorded,
    migrate_event,
    migrate_header,
    plan_migration,
)
from vcr_gen.cli.cassette.cassette_files import (
    add_paths,
    find_cassettes,
    inspect_cassette,
    recorded_by,
    write_cassette,
)
from vcr_gen.cli.outcome import DIFFERENT, FINE, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options
from vcr_gen.errors import UsageError
from vcr_gen.runtime.failures.signature_drift import declared_types
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.spelling import did_you_mean


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
    add_paths(parser)
    add = parser.add_argument
    add(
        "--rename",
        action="append",
        default=[],
        metavar="OLD=NEW",
        help="a name changed: Shell=Terminal, Shell.run=execute, Shell.run.cmd=command",
    )
    add(
        "--remove",
        action="append",
        default=[],
        metavar="SHELL.RUN.NAME",
        help="a parameter was removed",
    )
    add("--config", type=Path, metavar="FILE", help="the pyproject.toml of the project")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Plan all migrations first, then rewrite the cassettes that can be migrated."""
    terminal = Terminal.of(arguments)
    edits = Edits(dict(map(_rename, arguments.rename)), arguments.remove)
    paths = find_cassettes(arguments.paths, partial=False)
    inspections = [inspect_cassette(path) for path in terminal.each(paths, "reading")]
    for inspection in inspections:
        if inspection.problem is not None:
            raise inspection.problem
    recorded = {inspection.path: recorded_by(inspection) for inspection in inspections}
    _refuse_unknown_names([*edits.renamed, *edits.removed], recorded.values())
    current = describe_project(arguments.config)
    plans = {path: plan_migration(recorded[path], edits, current) for path in paths}
    rewritten = {path: _rewrite(path, plan) for path, plan in plans.items() if _is_needed(plan)}
    refused = [path for path, plan in plans.items() if plan.problems]
    problems = [f"{path}: {problem}" for path in refused for problem in plans[path].problems]
    notes = []
    for path, changed in rewritten.items():
        notes.append(f"migrated {path}: {counted(changed, 'event')}")
        notes += [f"  {note}" for note in plans[path].notes]
    counts = {
        "migrated": len(rewritten),
        "unchanged": len(paths) - len(rewritten) - len(refused),
        "left as they were": len(refused),
    }
    words = ", ".join(f"{number} {word}" for word, number in counts.items() if number)
    summary = f"{counted(len(paths), 'cassette')}: {words or 'nothing to do'}"
    outcome = Outcome(
        code=DIFFERENT if refused else FINE,
        text="\n".join(problems),
        summary="\n".join([*notes, *current.remarks, summary]),
        document={
            "remarks": list(current.remarks),
            "cassettes": [_described(path, plans[path], rewritten.get(path)) for path in paths],
        },
    )
    return print_outcome(outcome, terminal)


def _is_needed(plan: Plan) -> bool:
    return bool(plan.notes) and not plan.problems


def _rewrite(path: Path, plan: Plan) -> int:
    """Rewrite a cassette, and return how many events changed."""
    changed = 0

    def events(reading: Reading) -> Iterator[Mapping[str, Plain]]:
        nonlocal changed
        for entry in reading:
            event = migrate_event(entry.data, plan)
            changed += event != entry.data
            yield event

    with Reading(path) as reading:
        write_cassette(path, migrate_header(reading.header, plan), events(reading))
    return changed


def _described(path: Path, plan: Plan, changed: int | None) -> dict[str, object]:
    status = "refused" if plan.problems else "unchanged" if changed is None else "migrated"
    return {
        "path": str(path),
        "status": status,
        "events": changed or 0,
        "changes": list(plan.notes),
        "problems": list(plan.problems),
    }


def _rename(text: str) -> tuple[str, str]:
    old, _, new = text.partition("=")
    if not (old and new):
        raise UsageError(f"--rename: expected OLD=NEW; got {text!r}")
    return old, new


def _refuse_unknown_names(names: Iterable[str], cassettes: Collection[Recorded]) -> None:
    """Raise if an option names something that no cassette has: probably a typo."""
    known = set()
    for cassette in cassettes:
        known |= {*cassette.boundaries, *cassette.signatures}
        for name, signature in cassette.signatures.items():
            known |= {f"{name}.{parameter}" for parameter in declared_types(signature)}
    for name in names:
        if name not in known:
            raise UsageError(f"no cassette has {name!r}{did_you_mean(name, known)}")
