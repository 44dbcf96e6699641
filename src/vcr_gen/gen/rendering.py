"""Renders the generated modules of many source modules, on several cores if that pays."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from vcr_gen.gen.config import Config
from vcr_gen.gen.cores import shares, spread
from vcr_gen.gen.emit import Elsewhere, all_names, choose_names, emit_module
from vcr_gen.gen.imports import ProjectTest
from vcr_gen.gen.model import SourceModule
from vcr_gen.gen.render import Renderer
from vcr_gen.gen.wanted import Progress, no_progress

__all__ = ["Rendered", "is_long", "render_modules"]

_WORTH: Final = 32
"""Modules that take about as long to render as a process to start."""
_SHARES: Final = 4
"""Shares for each process: none waits long for another, and people see how far it is."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A generated module, before it is formatted."""

    output: str
    """Its name."""
    text: str
    settled: bool
    """Whether a formatter has nothing to change."""
    wrappers: tuple[str, ...]
    """The wrapper of each boundary, in order."""
    offered: tuple[str, ...]
    """Everything that it offers to others."""


@dataclass(frozen=True, slots=True)
class _Share:
    """What one process renders."""

    config: Config
    modules: Sequence[tuple[str, SourceModule]]
    elsewhere: Mapping[str, Elsewhere]


def render_modules(
    config: Config,
    modules: Mapping[str, SourceModule],
    *,
    jobs: int,
    progress: Progress = no_progress,
) -> list[Rendered]:
    """Render the module that each generated name is made from, in the order of names."""
    elsewhere = dict(_places(modules))
    tasks = [
        _Share(config, part, elsewhere)
        for part in shares(list(modules.items()), jobs * _SHARES, worth=_WORTH)
    ]
    done: list[Rendered] = []
    for part in spread(_render, tasks, jobs=jobs):
        done += part
        progress(len(done), len(modules))
    return sorted(done, key=lambda one: one.output)


def _places(modules: Mapping[str, SourceModule]) -> Iterator[tuple[str, Elsewhere]]:
    for output, module in modules.items():
        chosen, _ = choose_names(module)
        for boundary, names in zip(module.boundaries, chosen, strict=True):
            yield boundary.full_name, Elsewhere(output, names.constant)


def _render(share: _Share) -> list[Rendered]:
    renderer = cache(Renderer)  # compiling the templates costs more than filling them in
    is_project = ProjectTest(share.config.sources)
    done = []
    for output, module in share.modules:
        view = emit_module(module, output, share.elsewhere, is_project)
        settings = share.config.for_module(module.name)
        text = renderer(settings.template_dir, settings.line_length).module(view)
        settled = not settings.template_dir and not is_long(text, settings.line_length)
        wrappers = tuple(one.wrapper for one in view.boundaries)
        done.append(Rendered(output, text, settled, wrappers, tuple(all_names(view))))
    return done


def is_long(text: str, line_length: int) -> bool:
    """Whether a line is longer than it should be."""
    return any(len(line) > line_length for line in text.splitlines())
