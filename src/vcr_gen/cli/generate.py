"""`vcr-gen [PATHS]`: writes the wrappers, or says what would be written."""

import argparse
import os
import time
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from vcr_gen.cli.commands import COMMANDS, Command
from vcr_gen.cli.common_options import (
    add_common_options,
    fixing_command,
    read_config,
    require_extra,
    terminal_of,
    told,
)
from vcr_gen.cli.outcome import DIFFERENT, FINE, FileNote, Outcome, tell
from vcr_gen.cli.terminal import Terminal
from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.output.ownership import packages
from vcr_gen.gen.settings.config import Config

__all__ = ["parser", "run"]

_OPTIONS = ("check", "diff", "explain", "help", "init", "list", "show-config", "version", "watch")
_ALONE = ("explain", "init", "list", "show_config")
_DONE = {"missing": "wrote", "changed": "rewrote", "stale": "deleted"}
_NOTHING_WRITTEN = "; nothing was written"
_COUNTED = {"missing": "written", "changed": "rewritten", "stale": "deleted"}
_FOUND = {"missing": "missing", "changed": "changed", "stale": "stale"}


def parser(commands: Mapping[str, Command]) -> argparse.ArgumentParser:
    """The parser of everything that is not a command of its own."""
    listing = "\n".join(f"  {name:<10} {command.help}" for name, command in commands.items())
    result = argparse.ArgumentParser(
        prog="vcr-gen",
        description="Write record/replay wrappers for the Protocols of a project.",
        epilog=(
            f"commands of their own (vcr-gen COMMAND --help tells more):\n{listing}\n\n"
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
    add = result.add_argument
    add("--check", action="store_true", help="write nothing; exit 1 when a file would change")
    add("--diff", action="store_true", help="like --check, and print what would change as a diff")
    mode = result.add_mutually_exclusive_group()
    mode.add_argument("--list", action="store_true", help="list the boundaries of the project")
    mode.add_argument("--init", action="store_true", help="set a project up; overwrites nothing")
    mode.add_argument("--explain", metavar="CODE", help="explain a diagnostic, such as VCR301")
    mode.add_argument("--show-config", action="store_true", help="print the settings in force")
    mode.add_argument("--watch", action="store_true", help="generate again when a source changes")
    add("--no-cache", action="store_true", help="do not use what earlier runs remembered")
    add("--version", action="store_true", help="print the version")
    add_common_options(result)
    return result


def run(arguments: argparse.Namespace) -> int:
    """Do what the arguments say and return the exit code."""
    terminal = terminal_of(arguments)
    looks_only = arguments.explain or arguments.show_config or arguments.list
    then = "" if looks_only else _NOTHING_WRITTEN
    return told(lambda: _run(arguments, terminal), terminal, then=then)


def _run(arguments: argparse.Namespace, terminal: Terminal) -> int:
    _refuse_idle(arguments)
    if arguments.version:
        from vcr_gen.gen.settings.versions import installed_version

        return tell(Outcome(code=FINE, text=f"vcr-gen {installed_version()}"), terminal)
    if arguments.explain is not None:
        from vcr_gen.gen.explain import explain

        return tell(Outcome(code=FINE, text=explain(arguments.explain)), terminal)
    if arguments.init:
        from vcr_gen.cli.init import run_init

        return run_init(Path.cwd(), terminal)
    config = read_config(arguments)
    terminal.detail(f"configuration: {config.file or 'none, all defaults'}")
    if arguments.show_config:
        from vcr_gen.cli.show_config import show_config

        terminal.data(show_config(config, terminal.output_format))
        return FINE
    paths = _checked_paths(config, arguments.paths)
    require_extra()
    if arguments.list:
        from vcr_gen.cli.listing import list_boundaries

        return list_boundaries(config, paths, terminal)
    if arguments.watch:
        from vcr_gen.cli.watch import watch

        def read() -> Config:
            return read_config(arguments)

        def again() -> int:
            return _generate(read(), arguments, terminal)

        return watch(read, lambda: told(again, terminal, then=_NOTHING_WRITTEN), terminal)
    return _generate(config, arguments, terminal)


def _generate(config: Config, arguments: argparse.Namespace, terminal: Terminal) -> int:
    from vcr_gen.gen.runs.run import Request, plan_run

    started = time.perf_counter()
    paths = _checked_paths(config, arguments.paths)
    with terminal.progress("generating", percent=True) as progress:
        request = Request(
            paths=paths,
            use_cache=not arguments.no_cache,
            progress=progress,
        )
        plan = plan_run(config, request)
    terminal.detail(f"read and compared in {time.perf_counter() - started:.2f} s")
    if not plan.changes and not plan.unchanged:
        terminal.note(f"no boundaries found: {_where_to_look(config)}")
    only_look = arguments.check or arguments.diff
    verbs = _FOUND if only_look else _DONE
    files = [FileNote(config.display(c.path), verbs[c.kind]) for c in plan.changes]
    from vcr_gen.gen.output.check import summary, unified_diff

    if not only_look:
        from vcr_gen.gen.output.write import apply_plan, remove_leftovers

        apply_plan(plan)
        remove_leftovers([*packages(config.output), config.cache_dir])
        done = Outcome(
            code=FINE, files=files, warnings=plan.warnings, summary=summary(plan, _COUNTED)
        )
        return tell(done, terminal)
    return tell(
        Outcome(
            code=DIFFERENT if plan.changes else FINE,
            files=files,
            warnings=plan.warnings,
            diff="".join(unified_diff(config, plan)) if arguments.diff else "",
            summary=summary(plan, _FOUND),
            fix=fixing_command(arguments, arguments.paths) if plan.changes else "",
        ),
        terminal,
    )


def _where_to_look(config: Config) -> str:
    """What to do where there is no boundary."""
    from vcr_gen.gen.sources.files import other_projects

    others = [Path(os.path.relpath(folder)).as_posix() for folder in other_projects(config)]
    if not others:
        return "mark a Protocol with @outbound, or run vcr-gen --init"
    return (
        f"other projects are in {', '.join(others)}; "
        f"run vcr-gen there, or vcr-gen --config {others[0]}/pyproject.toml"
    )


def _refuse_idle(arguments: argparse.Namespace) -> None:
    """Refuse what would have no meaning beside an option that does something else."""
    for other in _ALONE:
        idle = [f"--{one}" for one in ("check", "diff") if getattr(arguments, one)]
        idle += [str(path) for path in arguments.paths if other != "list"]
        if getattr(arguments, other) and idle:
            option = f"--{other.replace('_', '-')}"
            message = f"has no meaning together with {option}"
            hint = "give one of them at a time"
            raise RefusedError([Diagnostic(one, 0, 0, "VCR411", message, hint) for one in idle])


def _checked_paths(config: Config, given: list[Path]) -> tuple[Path, ...]:
    """The paths, absolute; each must exist and lie in a source folder of the project."""
    problems = []
    paths = tuple(path.resolve() for path in given)
    for path, spelled in zip(paths, given, strict=True):
        if not path.exists():
            meant = get_close_matches(str(spelled), [*COMMANDS, *_OPTIONS], n=1)
            hint = (
                f"did you mean vcr-gen {'' if meant[0] in COMMANDS else '--'}{meant[0]}?"
                if meant
                else "commands come first: vcr-gen verify, vcr-gen extract, vcr-gen cassette"
            )
            problems.append(Diagnostic(str(spelled), 0, 0, "VCR411", "there is no such path", hint))
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
