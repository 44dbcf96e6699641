"""From configuration to generated text: finds, reads, names and renders."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from vcr_gen.gen.conditions import Target
from vcr_gen.gen.config import Config, Direction
from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.gen.discover import Found, discover
from vcr_gen.gen.emit import Elsewhere, all_names, choose_names, emit_module
from vcr_gen.gen.imports import Import, member_key, statements
from vcr_gen.gen.library import Library
from vcr_gen.gen.model import SourceModule
from vcr_gen.gen.problems import Problems
from vcr_gen.gen.reading import read_module
from vcr_gen.gen.render import Renderer, TemplateFailedError
from vcr_gen.gen.views import ModuleView, PackageView

__all__ = ["Generated", "Generation", "generate"]


@dataclass(frozen=True, slots=True)
class Generated:
    """One boundary and what was made for it."""

    name: str
    """The stable name in cassettes."""
    direction: Direction
    protocol: str
    """`module:qualname`"""
    wrapper: str
    """`module:class` of the generated wrapper."""
    source: str
    """The Protocol's file, as it is shown."""
    line: int


@dataclass(frozen=True)
class Generation:
    """The outcome of a run, as data; nothing has been written."""

    files: Mapping[Path, str]
    diagnostics: tuple[Diagnostic, ...]
    boundaries: tuple[Generated, ...] = ()
    inputs: Mapping[Path, frozenset[Path]] = field(default_factory=dict)
    """Every file that an output was made from."""
    refused: tuple[str, ...] = ()
    """`module:qualname` of the Protocols that cannot be wrapped."""
    unsettled: frozenset[Path] = frozenset()
    """Outputs that a formatter may still change: too long a line, or somebody's own template."""


def generate(config: Config, *, paths: Sequence[Path] = ()) -> Generation:
    """Generate the wrappers of all boundaries; all problems are reported at once."""
    library = Library(
        config.sources, config.search_path, Target(config.target_version, config.platform)
    )
    problems = Problems(config)
    found = _distinct(discover(config, library, problems, paths))
    known = {one.definition.full_name: one for one in found}
    groups: dict[str, list[Found]] = {}
    for one in found:
        groups.setdefault(one.module, []).append(one)
    modules = {
        name: read_module(library, name, group, known, problems)
        for name, group in sorted(groups.items())
    }
    if problems.found:
        wrapped = {one.full_name for module in modules.values() for one in module.boundaries}
        refused = tuple(
            f"{one.module}:{one.definition.qualname}"
            for one in found
            if one.definition.full_name not in wrapped
        )
        return Generation({}, tuple(sorted(set(problems.found))), refused=refused)
    return _written(config, library, modules, found)


def _distinct(found: Iterable[Found]) -> list[Found]:
    """One entry per class; the project's own marker comes first and beats a rule."""
    classes: dict[str, Found] = {}
    for one in found:
        classes.setdefault(one.definition.full_name, one)
    return list(classes.values())


def _written(
    config: Config, library: Library, modules: Mapping[str, SourceModule], found: Sequence[Found]
) -> Generation:
    outputs = {name: _output(library, name) for name in modules}
    elsewhere: dict[str, Elsewhere] = {}
    for name, module in modules.items():
        chosen, _ = choose_names(module)
        for boundary, names in zip(module.boundaries, chosen, strict=True):
            elsewhere[boundary.full_name] = Elsewhere(outputs[name], names.constant)
    is_project = _project_test(config)
    views = {
        outputs[name]: emit_module(module, outputs[name], elsewhere, is_project)
        for name, module in modules.items()
    }
    files: dict[Path, str] = {}
    unsettled: set[Path] = set()
    renderer = cache(Renderer)  # compiling the templates costs more than filling them in
    try:
        for output, view in views.items():
            settings = config.for_module(view.module)
            path = config.output / _relative(output)
            text = renderer(settings.template_dir, settings.line_length).module(view)
            files[path] = text
            if settings.template_dir or _is_long(text, settings.line_length):
                unsettled.add(path)
        for package, contents in _packages(views, is_project):
            path = config.output / package.replace(".", "/") / "__init__.py"
            text = renderer(config.template_dir, config.line_length).package(contents)
            files[path] = text
            if config.template_dir or _is_long(text, config.line_length):
                unsettled.add(path)
    except TemplateFailedError as error:
        hint = "templates/README.md lists what templates can use"
        problem = Diagnostic(error.template, error.line, 0, "VCR111", error.reason, hint)
        return Generation({}, (problem,))
    everything = frozenset(library.read)
    return Generation(
        files=dict(sorted(files.items())),
        diagnostics=(),
        boundaries=tuple(_listed(outputs, views, modules, found)),
        inputs=dict.fromkeys(files, everything),
        unsettled=frozenset(unsettled),
    )


def _output(library: Library, name: str) -> str:
    module = library.module(name)
    return output_module(name, is_package=module is not None and module.is_package)


def _is_long(text: str, line_length: int) -> bool:
    return any(len(line) > line_length for line in text.splitlines())


def output_module(name: str, *, is_package: bool) -> str:
    """The generated module for a source module: `app.ports` → `vcr_app.ports`.

    What a package's own `__init__` declares goes to `_package` in it, as the generated `__init__`
    is there to offer everything else too; a single top-level module counts as a package.
    """
    if is_package or "." not in name:
        return f"vcr_{name}._package"
    return f"vcr_{name}"


def _relative(name: str) -> str:
    return name.replace(".", "/") + ".py"


def _project_test(config: Config) -> Callable[[str], bool]:
    known: dict[str, bool] = {}

    def is_project(top: str) -> bool:
        if top not in known:
            roots = (*config.sources,)
            known[top] = (top.startswith("vcr_") and top != "vcr_gen") or any(
                (root / top).is_dir() or (root / f"{top}.py").is_file() for root in roots
            )
        return known[top]

    return is_project


def _packages(
    views: Mapping[str, ModuleView], is_project: Callable[[str], bool]
) -> list[tuple[str, PackageView]]:
    """Every package that the generated modules need; the top one offers all unique names."""
    offered: dict[str, dict[str, list[str]]] = {}
    packages: set[str] = set()
    for module, view in views.items():
        parts = module.split(".")
        packages.update(".".join(parts[:length]) for length in range(1, len(parts)))
        names = offered.setdefault(parts[0], {})
        for one in all_names(view):
            names.setdefault(one, []).append(module)
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
        exported = tuple((name, unique[name]) for name in sorted(unique, key=member_key))
        found.append((package, PackageView(package, lines, exported)))
    return found


def _listed(
    outputs: Mapping[str, str],
    views: Mapping[str, ModuleView],
    modules: Mapping[str, SourceModule],
    found: Sequence[Found],
) -> list[Generated]:
    by_name = {one.definition.full_name: one for one in found}
    listed = []
    for name, output in outputs.items():
        for boundary, shown in zip(modules[name].boundaries, views[output].boundaries, strict=True):
            one = by_name[boundary.full_name]
            listed.append(
                Generated(
                    boundary.name,
                    boundary.direction,
                    f"{one.definition.module.name}:{boundary.qualname}",
                    f"{output}:{shown.wrapper}",
                    modules[name].display,
                    one.definition.node.lineno,
                )
            )
    return listed
