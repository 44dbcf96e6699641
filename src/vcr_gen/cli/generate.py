"""`vcr-gen [PATHS]`: writes the wrappers, or reports what would change."""

import argparse
import json
import os
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from vcr_gen.cli.commands import COMMANDS, Command, Group
from vcr_gen.cli.common_options import (
    add_common_options,
    fixing_command,
    read_config,
    report_refusals,
    require_extra,
)
from vcr_gen.cli.outcome import DIFFERENT, FINE, FileNote, Outcome, counted, explain, print_outcome
from vcr_gen.cli.terminal import OutputFormat, Terminal, table
from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.output.ownership import packages
from vcr_gen.gen.settings.config import (
    BOUNDARY_SETTINGS,
    OVERRIDE_SETTINGS,
    SETTINGS,
    BoundaryRule,
    Config,
    Override,
    Setting,
)
from vcr_gen.spelling import closest

if TYPE_CHECKING:
    from vcr_gen.gen.pipeline.generation import Generated
    from vcr_gen.gen.protocols.value_notes import ValueNote

_DONE = {"missing": "wrote", "changed": "rewrote", "stale": "deleted"}
_NOTHING_WRITTEN = "; nothing was written"
_COUNTED = {"missing": "written", "changed": "rewritten", "stale": "deleted"}
_FOUND = {"missing": "missing", "changed": "changed", "stale": "stale"}
_OPTIONS = ("check", "diff", "explain", "init", "list", "show-config", "version", "watch")
_COMMAND_LINES = {
    "generate": "vcr-gen",
    **{option: f"vcr-gen --{option}" for option in _OPTIONS},
    **{command: f"vcr-gen {command}" for command in COMMANDS},
}
"""What may be meant by a word that is not a path."""


def parser(commands: Mapping[str, Command | Group]) -> argparse.ArgumentParser:
    """The parser of the default command, which generates."""
    listing = "\n".join(f"  {name:<10} {command.help}" for name, command in commands.items())
    result = argparse.ArgumentParser(
        prog="vcr-gen",
        description="Write record/replay wrappers for the Protocols of a project.",
        epilog=(
            f"commands (see vcr-gen COMMAND --help):\n{listing}\n\n"
            "exit codes: 0 fine, 1 drift or difference found, 2 usage, config or input error"
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    result.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="PATHS",
        help="only the wrappers of these source files or folders (default: the whole project)",
    )
    add = result.add_mutually_exclusive_group().add_argument
    add("--check", action="store_true", help="write nothing; exit 1 when a file would change")
    add("--diff", action="store_true", help="like --check, and print what would change as a diff")
    add("--list", action="store_true", help="list the boundaries of the project")
    add("--init", action="store_true", help="set up a project; overwrites nothing")
    add("--explain", metavar="CODE", help="explain a diagnostic, such as VCR301")
    add("--show-config", action="store_true", help="print the effective settings")
    add("--watch", action="store_true", help="generate again when a source changes")
    add("--version", action="store_true", help="print the version")
    result.add_argument(
        "--values",
        action="store_true",
        help="with --list: which types of values are stored by their attributes, or need help",
    )
    result.add_argument("--no-cache", action="store_true", help="ignore the cache of earlier runs")
    add_common_options(result)
    result.set_defaults(wrong_usage=result.error)
    return result


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return the exit code."""
    if arguments.values and not arguments.list:
        arguments.wrong_usage("--values needs --list")
    terminal = Terminal.of(arguments)
    looks_only = arguments.explain or arguments.show_config or arguments.list
    then = "" if looks_only else _NOTHING_WRITTEN
    return report_refusals(lambda: _run(arguments, terminal), terminal, then=then)


def _run(arguments: argparse.Namespace, terminal: Terminal) -> int:
    if arguments.version:
        from vcr_gen.gen.settings.versions import installed_version

        return print_outcome(Outcome(code=FINE, text=f"vcr-gen {installed_version()}"), terminal)
    if arguments.explain is not None:
        from vcr_gen.gen.diagnostics import explain as explain_code

        return print_outcome(Outcome(code=FINE, text=explain_code(arguments.explain)), terminal)
    if arguments.init:
        return _set_up_project(Path.cwd(), terminal)
    config = read_config(arguments)
    terminal.detail(f"configuration: {config.file or 'none, all defaults'}")
    if arguments.show_config:
        terminal.data(_shown_config(config, terminal.output_format))
        return FINE
    paths = _checked_paths(config, arguments.paths)
    require_extra()
    if arguments.list:
        return _list_boundaries(config, paths, terminal, with_values=arguments.values)
    if arguments.watch:

        def read() -> Config:
            return read_config(arguments)

        def again() -> int:
            return _generate(read(), arguments, terminal)

        return _watch(
            read, lambda: report_refusals(again, terminal, then=_NOTHING_WRITTEN), terminal
        )
    return _generate(config, arguments, terminal)


def _generate(config: Config, arguments: argparse.Namespace, terminal: Terminal) -> int:
    from vcr_gen.gen.pipeline.plan_run import Request, plan_run

    paths = _checked_paths(config, arguments.paths)
    with terminal.progress("generating") as progress:
        request = Request(
            paths=paths,
            use_cache=not arguments.no_cache,
            progress=progress,
        )
        plan = plan_run(config, request)
    if not plan.unchanged and all(change.kind == "stale" for change in plan.changes):
        terminal.note(
            f"no boundaries found in {_where(config, paths)}: mark a Protocol with @outbound, or "
            "run vcr-gen --init"
        )
    for note in plan.notes:
        terminal.note(note)
    only_look = arguments.check or arguments.diff
    verbs = _FOUND if only_look else _DONE
    files = [FileNote(config.display(c.path), verbs[c.kind]) for c in plan.changes]
    from vcr_gen.gen.output.plan import summary, unified_diff

    if not only_look:
        from vcr_gen.gen.output.write import apply_plan, remove_leftovers

        apply_plan(plan)
        remove_leftovers([*packages(config.output), config.cache_dir])
        done = Outcome(code=FINE, files=files, summary=summary(plan, _COUNTED))
        return print_outcome(done, terminal)
    return print_outcome(
        Outcome(
            code=DIFFERENT if plan.changes else FINE,
            files=files,
            diff="".join(unified_diff(config, plan)) if arguments.diff else "",
            summary=summary(plan, _FOUND),
            fix=fixing_command(arguments, arguments.paths) if plan.changes else "",
        ),
        terminal,
    )


def _checked_paths(config: Config, given: list[Path]) -> tuple[Path, ...]:
    """The absolute paths; each must exist in a source folder of the project."""
    problems = []
    paths = tuple(path.resolve() for path in given)
    for path, spelled in zip(paths, given, strict=True):
        if not path.exists():
            meant = _COMMAND_LINES.get(closest(str(spelled), _COMMAND_LINES))
            hint = f"did you mean {meant}?" if meant else "expected a source file or folder"
            problems.append(Diagnostic(str(spelled), 0, 0, "VCR411", "no such path", hint))
        elif not any(
            path.is_relative_to(source) or source.is_relative_to(path) for source in config.sources
        ):
            known = ", ".join(config.display(source) for source in config.sources)
            message = "is not in a source folder of the project"
            hint = f"`sources` in [tool.vcr-gen] are: {known}"
            problems.append(Diagnostic(str(spelled), 0, 0, "VCR411", message, hint))
    if problems:
        raise RefusedError(problems)
    return paths


def _where(config: Config, paths: Sequence[Path]) -> str:
    """Where a run looked for boundaries."""
    from vcr_gen.gen.sources.files import list_files

    folders = [config.display(path) for path in paths or config.sources]
    files = {Path(file.path) for file in list_files(config) if file.searched}
    if paths:
        files = {file for file in files if any(file.is_relative_to(path) for path in paths)}
    return f"{counted(len(files), 'Python file')} below {', '.join(folders)}"


def _watch(read: Callable[[], Config], regenerate: Callable[[], int], terminal: Terminal) -> int:
    """Generate now and after every change; report a run that fails, and wait for the next change.

    The watched files follow the configuration, which may change too.
    """
    from vcr_gen.gen.pipeline.watch import snapshot, wait_for_change

    # A shell without job control lets its background commands ignore the signal of Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        config = read()
        while True:
            seen = snapshot(config)
            try:
                regenerate()
            except OSError as error:  # a file disappeared while it was read; the next run is soon
                terminal.note(explain(error))
            terminal.note("watching; stop with Ctrl-C")
            wait_for_change(config, seen)
            with suppress(RefusedError):  # `regenerate` will report it
                config = read()
    except KeyboardInterrupt:
        return FINE


def _set_up_project(root: Path, terminal: Terminal) -> int:
    """Take every step that is still needed, and report what each one did."""
    from vcr_gen.gen.init import setup_steps
    from vcr_gen.gen.output.write import write_file

    files = []
    for step in list(setup_steps(root)):
        verb = "kept"
        if step.text:
            verb = "added to" if step.path.exists() else "wrote"
            write_file(step.path.resolve(), step.text)  # a symbolic link stays a link
        shown = Path(os.path.relpath(step.path, root)).as_posix()
        files.append(FileNote(shown, verb, step.what))
    summary = (
        "next: run vcr-gen, then add the generated folder to version control "
        "and to `pythonpath` of pytest"
    )
    return print_outcome(Outcome(code=FINE, files=files, summary=summary), terminal)


def _list_boundaries(
    config: Config, paths: Sequence[Path], terminal: Terminal, *, with_values: bool
) -> int:
    """Print one line for each boundary: direction, name, Protocol, wrapper, place, and why.

    `with_values` adds a line for each type in them that is not declared as data.
    """
    from vcr_gen.gen.pipeline.generation import generate

    generation = generate(config, with_values=with_values)
    if generation.diagnostics:
        raise RefusedError(generation.diagnostics)
    listed = [
        _with_openable_path(boundary, config)
        for boundary in generation.boundaries
        if not paths or any((config.root / boundary.source).is_relative_to(path) for path in paths)
    ]
    notes = [note for boundary in listed for note in boundary.values]
    values = table([(note.place, note.type, _verdict(note)) for note in notes])
    outcome = Outcome(
        code=FINE,
        text="\n\n".join(filter(None, (table(list(map(_row, listed))), values))),
        summary=counted(len(listed), "boundary", "boundaries"),
        document={"boundaries": [asdict(boundary) for boundary in listed]},
    )
    return print_outcome(outcome, terminal)


def _with_openable_path(boundary: "Generated", config: Config) -> "Generated":
    """The boundary with its path relative to here; a path in an installed package stays."""
    place = config.root / boundary.source
    return replace(boundary, source=config.display(place)) if place.exists() else boundary


def _row(boundary: "Generated") -> tuple[str, ...]:
    place = f"{boundary.source}:{boundary.line}"
    why = f"reached from {boundary.reached_from}" if boundary.reached_from else ""
    return (boundary.direction, boundary.name, boundary.protocol, boundary.wrapper, place, why)


def _verdict(note: "ValueNote") -> str:
    return f"{note.verdict}: {note.reason}" if note.reason else note.verdict


def _shown_config(config: Config, output_format: OutputFormat) -> str:
    """Every setting with its value, including defaults, as TOML or JSON."""
    settings = {setting.key: _value(config, config, setting) for setting in SETTINGS}
    tables = {
        "boundary": [_entry(config, rule, BOUNDARY_SETTINGS) for rule in config.boundaries],
        "overrides": [_entry(config, rule, OVERRIDE_SETTINGS) for rule in config.overrides],
    }
    if output_format == "json":
        return json.dumps({**settings, **tables}, indent=2)
    lines = [f"# from {config.display(config.file)}" if config.file else "# all defaults"]
    lines += ["[tool.vcr-gen]", *_assignments(settings)]
    for name, entries in tables.items():
        for entry in entries:
            lines += ["", f"[[tool.vcr-gen.{name}]]", *_assignments(entry)]
    return "\n".join(lines)


def _entry(
    config: Config, rule: BoundaryRule | Override, settings: Iterable[Setting]
) -> Mapping[str, object]:
    """The settings of one table that differ from the defaults."""
    values = {setting.key: _value(config, rule, setting) for setting in settings}
    return {key: value for key, value in values.items() if value}


def _value(config: Config, holder: object, setting: Setting) -> object:
    value = getattr(holder, setting.attribute)
    if setting.key == "target-version":
        return ".".join(map(str, value))
    if isinstance(value, tuple):
        return [_spelled(config, item) for item in value]
    return _spelled(config, value)


def _spelled(config: Config, value: object) -> object:
    return config.in_project(value) if isinstance(value, Path) else value


def _assignments(settings: Mapping[str, object]) -> list[str]:
    # JSON and TOML spell strings, numbers and lists of strings alike.
    return [f"{key} = {json.dumps(v)}" for key, v in settings.items() if v is not None]
