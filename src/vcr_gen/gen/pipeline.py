"""From configuration to generated text: finds, reads, names and renders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcr_gen.gen.config import Config
from vcr_gen.gen.cores import shares, work_together
from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.gen.discover import candidates
from vcr_gen.gen.imports import Import, ProjectTest, export_key, statements
from vcr_gen.gen.portion import STEPS, Generated, Made, Portion, make_portion
from vcr_gen.gen.render import Renderer, TemplateFailedError
from vcr_gen.gen.rendering import Rendered, is_long
from vcr_gen.gen.views import PackageView
from vcr_gen.gen.wanted import Progress, no_progress

__all__ = ["Generated", "Generation", "generate"]

_WORTH: Final = 32
"""Modules that take about as long to read and render as a process to start."""


@dataclass(frozen=True)
class Generation:
    """The outcome of a run, as data; nothing has been written."""

    files: Mapping[Path, str]
    diagnostics: tuple[Diagnostic, ...]
    boundaries: tuple[Generated, ...] = ()
    inputs: frozenset[Path] = frozenset()
    """Every file that was read."""
    refused: tuple[str, ...] = ()
    """`module:qualname` of the Protocols that cannot be wrapped."""
    unsettled: frozenset[Path] = frozenset()
    """Outputs that a formatter may still change: too long a line, or somebody's own template."""


def generate(config: Config, *, jobs: int = 1, progress: Progress = no_progress) -> Generation:
    """Generate the wrappers of all boundaries; all problems are reported at once."""
    modules = candidates(config)
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        progress(done, STEPS * len(modules))

    portions = [Portion(config, share) for share in shares(modules, jobs, worth=_WORTH)]
    made = work_together(make_portion, portions, advance=advance)
    problems = {problem for one in made for problem in one.problems}
    if problems:
        refused = tuple(name for _, name in sorted(one for each in made for one in each.refused))
        return Generation({}, tuple(sorted(problems)), refused=refused)
    failures = [one.failed for one in made if one.failed]
    if failures:
        return Generation({}, (min(failures)[1],))
    try:
        return _written(config, made)
    except TemplateFailedError as error:
        return Generation({}, (error.diagnostic(),))


def _written(config: Config, made: Sequence[Made]) -> Generation:
    rendered = sorted((one for each in made for one in each.rendered), key=lambda one: one.output)
    files = {config.output / _relative(one.output): one.text for one in rendered}
    unsettled = {config.output / _relative(one.output) for one in rendered if not one.settled}
    renderer = Renderer(config.template_dir, config.line_length)
    for package, contents in _packages(rendered, ProjectTest(config.sources)):
        path = config.output / package.replace(".", "/") / "__init__.py"
        files[path] = text = renderer.package(contents)
        if config.template_dir or is_long(text, config.line_length):
            unsettled.add(path)
    return Generation(
        files=dict(sorted(files.items())),
        diagnostics=(),
        boundaries=_in_order(made),
        inputs=frozenset(path for one in made for path in one.read),
        unsettled=frozenset(unsettled),
    )


def _in_order(made: Sequence[Made]) -> tuple[Generated, ...]:
    """The boundaries by generated module; those of one module stand together already."""
    listed = (one for each in made for one in each.boundaries)
    return tuple(sorted(listed, key=lambda one: one.wrapper.partition(":")[0]))


def _relative(name: str) -> str:
    return name.replace(".", "/") + ".py"


def _packages(
    rendered: Sequence[Rendered], is_project: ProjectTest
) -> list[tuple[str, PackageView]]:
    """Every package that the generated modules need; the top one offers all unique names."""
    offered: dict[str, dict[str, list[str]]] = {}
    packages: set[str] = set()
    for one in rendered:
        parts = one.output.split(".")
        packages.update(".".join(parts[:length]) for length in range(1, len(parts)))
        names = offered.setdefault(parts[0], {})
        for name in one.offered:
            names.setdefault(name, []).append(one.output)
    found: list[tuple[str, PackageView]] = []
    for package in sorted(packages):
        unique = {
            name: modules[0]
            for name, modules in offered.get(package, {}).items()
            if len(modules) == 1
        }
        lines = statements(
            [Import(module, name, name) for name, module in unique.items()], is_project
        )
        exported = tuple((name, unique[name]) for name in sorted(unique, key=export_key))
        found.append((package, PackageView(package, lines, exported)))
    return found
