"""Renders the generated modules, and the packages that hold them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from vcr_gen.gen.model.boundary_model import SourceModule
from vcr_gen.gen.output.ownership import file_of
from vcr_gen.gen.rendering.formatting import RenderedFile, is_settled, style_of
from vcr_gen.gen.rendering.templates import Renderer
from vcr_gen.gen.settings.config import Config
from vcr_gen.gen.wrappers.import_statements import Import, ProjectTest, export_key, statements
from vcr_gen.gen.wrappers.module_view import BoundaryLocation, all_names, choose_names, emit_module
from vcr_gen.gen.wrappers.views import ModuleView, PackageView


@dataclass(frozen=True, slots=True)
class RenderedModule:
    """A generated module, and what it offers."""

    name: str
    file: RenderedFile
    view: ModuleView


def render_modules(config: Config, modules: Mapping[str, SourceModule]) -> Iterator[RenderedModule]:
    """Render the generated modules, given by their names."""
    elsewhere = dict(place for name in modules for place in _places(name, modules[name]))
    is_project = ProjectTest(config.sources)
    renderer = cache(Renderer)  # compiling the templates costs more than filling them in
    for name, module in modules.items():
        view = emit_module(module, elsewhere, is_project)
        settings = config.for_module(module.name)
        text = renderer(settings.template_dir, settings.line_length).module(view)
        yield RenderedModule(name, _file(config, settings, name, text, module.display), view)


def render_packages(config: Config, modules: Iterable[RenderedModule]) -> Iterator[RenderedFile]:
    """Render the `__init__` of every package that the generated modules need."""
    renderer = Renderer(config.template_dir, config.line_length)
    for view in _packages(modules, ProjectTest(config.sources)):
        name = f"{view.package}.__init__"
        yield _file(config, config, name, renderer.package(view), None)


def _file(
    config: Config, settings: Config, name: str, text: str, source: str | None
) -> RenderedFile:
    return RenderedFile(
        path=file_of(config.output, name),
        text=text,
        style=style_of(settings),
        settled=not settings.template_dir and is_settled(text, settings.line_length),
        source=source,
    )


def _places(name: str, module: SourceModule) -> Iterator[tuple[str, BoundaryLocation]]:
    """Where others find the boundaries of a module, by their full names."""
    chosen, _ = choose_names(module)
    for boundary, names in zip(module.boundaries, chosen, strict=True):
        yield boundary.full_name, BoundaryLocation(name, names.constant)


def _packages(
    modules: Iterable[RenderedModule], is_project: Callable[[str], bool]
) -> Iterator[PackageView]:
    """Every package that the generated modules need; the top one exports all unique names."""
    offered: dict[str, dict[str, list[str]]] = {}
    packages: set[str] = set()
    for module in modules:
        parts = module.name.split(".")
        packages.update(".".join(parts[:length]) for length in range(1, len(parts)))
        names = offered.setdefault(parts[0], {})
        for name in all_names(module.view):
            names.setdefault(name, []).append(module.name)
    for package in sorted(packages):
        homes = offered.get(package, {})
        unique = {name: found[0] for name, found in homes.items() if len(found) == 1}
        lines = statements([Import(unique[name], name, name) for name in unique], is_project)
        exported = tuple((name, unique[name]) for name in sorted(unique, key=export_key))
        yield PackageView(package, lines, exported)
