"""From configuration to generated text: finds, reads, names and renders."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.gen.output.ownership import file_of
from vcr_gen.gen.processes.cores import shares, work_together
from vcr_gen.gen.protocols.candidates import Candidate, candidates
from vcr_gen.gen.rendering.module import is_long
from vcr_gen.gen.rendering.templates import Renderer, TemplateFailedError
from vcr_gen.gen.runs.memory import Memory, Past, Remembered
from vcr_gen.gen.runs.portion import STEPS, Generated, Made, News, Portion, make_portion
from vcr_gen.gen.runs.wanted import Progress, no_progress
from vcr_gen.gen.settings.config import Config
from vcr_gen.gen.wrappers.imports import Import, ProjectTest, export_key, statements
from vcr_gen.gen.wrappers.views import PackageView

__all__ = ["Generated", "Generation", "generate"]

_NOBODY: Final = News()

_WORTH: Final = 32
"""Modules that take about as long to read and render as a process to start."""


@dataclass(frozen=True)
class Generation:
    """The outcome of a run, as data; nothing has been written."""

    files: Mapping[Path, str]
    diagnostics: tuple[Diagnostic, ...]
    boundaries: tuple[Generated, ...] = ()
    inputs: frozenset[Path] = frozenset()
    """Every file that was read, and every folder that was searched."""
    missed: frozenset[str] = frozenset()
    """Every file that was looked for in vain."""
    refused: tuple[str, ...] = ()
    """`module:qualname` of the Protocols that cannot be wrapped."""
    unsettled: frozenset[Path] = frozenset()
    """Outputs that a formatter may still change: too long a line, or somebody's own template."""
    memory: Memory = field(default_factory=Memory)
    """What a later run needs to know."""
    kept: frozenset[Path] = frozenset()
    """Outputs that remain what they are on disk."""


def generate(
    config: Config, *, jobs: int = 1, progress: Progress = no_progress, past: Past | None = None
) -> Generation:
    """Generate the wrappers of all boundaries; all problems are reported at once.

    Of a `past` run, only what is affected is done again, unless that has a say in the rest.
    """
    modules = candidates(config)
    maker = _Maker(config, jobs, progress)
    try:
        again = _partly(maker, modules, past) if past else None
        return again or _wholly(maker, modules)
    except TemplateFailedError as error:
        return Generation({}, (error.diagnostic(config),))


def _wholly(maker: "_Maker", modules: Sequence[Candidate]) -> Generation:
    made = maker.make(modules)
    problems = {problem for one in made for problem in one.problems}
    if problems:
        refused = tuple(name for _, name in sorted(one for each in made for one in each.refused))
        return Generation({}, tuple(sorted(problems)), refused=refused)
    failures = [one.failed for one in made if one.failed]
    if failures:
        return Generation({}, (min(failures)[1],))
    return _written(maker.config, made, Memory())


def _partly(maker: "_Maker", modules: Sequence[Candidate], past: Past) -> Generation | None:
    """Only what is affected; None where others depend on what changed, or anything is wrong."""
    before = past.memory.modules
    affected = [one for one in modules if past.is_affected(one.name, one.paths)]
    names = {one.name for one in affected} | {name for name in before if past.is_affected(name)}
    kept = {name: one for name, one in before.items() if name not in names}
    made = maker.make(affected, others=News.of(kept))
    now = {name: one for each in made for name, one in each.memory.modules.items()}
    nothing = Remembered()
    if any(one.problems or one.failed for one in made) or any(
        now.get(name, nothing).differs_for_others(before.get(name, nothing)) for name in names
    ):
        return None
    return _written(maker.config, made, Memory(modules=kept, leads=past.memory.leads))


@dataclass(frozen=True)
class _Maker:
    """Makes wrappers on as many cores as wanted."""

    config: Config
    jobs: int
    progress: Progress

    def make(self, modules: Sequence[Candidate], others: News = _NOBODY) -> list[Made]:
        """What becomes of some modules."""
        done = 0

        def advance(count: int) -> None:
            nonlocal done
            done += count
            self.progress(done, STEPS * len(modules))

        portions = [
            Portion(self.config, share, others)
            for share in shares(modules, self.jobs, worth=_WORTH)
        ]
        return work_together(make_portion, portions, advance=advance)


def _written(config: Config, made: Sequence[Made], kept: Memory) -> Generation:
    rendered = sorted((one for each in made for one in each.rendered), key=lambda one: one.output)
    files = {file_of(config.output, one.output): one.text for one in rendered}
    unsettled = {file_of(config.output, one.output) for one in rendered if not one.settled}
    memory = kept.with_news(one.memory for one in made)
    renderer = Renderer(config.template_dir, config.line_length)
    for package, contents in _packages(memory.modules.values(), ProjectTest(config.sources)):
        path = file_of(config.output, f"{package}.__init__")
        files[path] = text = renderer.package(contents)
        if config.template_dir or is_long(text, config.line_length):
            unsettled.add(path)
    return Generation(
        files=dict(sorted(files.items())),
        diagnostics=(),
        boundaries=_in_order(made),
        inputs=frozenset(path for one in made for path in one.read),
        missed=frozenset(path for one in made for path in one.missed),
        unsettled=frozenset(unsettled),
        memory=memory,
        kept=frozenset(
            file_of(config.output, one.output) for one in kept.modules.values() if one.output
        ),
    )


def _in_order(made: Sequence[Made]) -> tuple[Generated, ...]:
    """The boundaries by generated module; those of one module stand together already."""
    listed = (one for each in made for one in each.boundaries)
    return tuple(sorted(listed, key=lambda one: one.wrapper.partition(":")[0]))


def _packages(
    modules: Iterable[Remembered], is_project: ProjectTest
) -> list[tuple[str, PackageView]]:
    """Every package that the generated modules need; the top one offers all unique names."""
    offered: dict[str, dict[str, list[str]]] = {}
    packages: set[str] = set()
    for one in modules:
        if not one.output:
            continue
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
