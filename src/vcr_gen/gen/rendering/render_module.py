"""Renders the generated module of one source module."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from vcr_gen.gen.model.boundaries import SourceModule
from vcr_gen.gen.rendering.formatting import is_settled
from vcr_gen.gen.rendering.templates import Renderer
from vcr_gen.gen.settings.config import Config
from vcr_gen.gen.wrappers.imports import ProjectTest
from vcr_gen.gen.wrappers.module import BoundaryLocation, all_names, choose_names, emit_module

__all__ = ["ModuleRenderer", "Rendered", "places"]


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


def places(output: str, module: SourceModule) -> Iterator[tuple[str, BoundaryLocation]]:
    """Where others find the boundaries of a module, by their full names."""
    chosen, _ = choose_names(module)
    for boundary, names in zip(module.boundaries, chosen, strict=True):
        yield boundary.full_name, BoundaryLocation(output, names.constant)


class ModuleRenderer:
    """Renders generated modules, one by one."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._is_project = ProjectTest(config.sources)
        self._renderer = cache(Renderer)  # compiling the templates costs more than filling them in

    def render(
        self, output: str, module: SourceModule, elsewhere: Mapping[str, BoundaryLocation]
    ) -> Rendered:
        """The text of the generated module of that name."""
        view = emit_module(module, elsewhere, self._is_project)
        settings = self._config.for_module(module.name)
        text = self._renderer(settings.template_dir, settings.line_length).module(view)
        settled = not settings.template_dir and is_settled(text, settings.line_length)
        wrappers = tuple(boundary.wrapper for boundary in view.boundaries)
        return Rendered(output, text, settled, wrappers, tuple(all_names(view)))
