"""From configuration to generated text: finds, reads, names and renders."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vcr_gen.gen.conditions import Target
from vcr_gen.gen.config import Config, Direction
from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.gen.discover import Found, discover
from vcr_gen.gen.imports import Import, ProjectTest, member_key, statements
from vcr_gen.gen.library import Library
from vcr_gen.gen.model import SourceModule
from vcr_gen.gen.problems import Problems
from vcr_gen.gen.reading import read_module
from vcr_gen.gen.render import Renderer, TemplateFailedError
from vcr_gen.gen.rendering import Rendered, is_long, render_modules
from vcr_gen.gen.views import PackageView
from vcr_gen.gen.wanted import Progress, no_progress

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


def generate(
    config: Config,
    *,
    paths: Sequence[Path] = (),
    jobs: int = 1,
    progress: Progress = no_progress,
) -> Generation:
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
    modules: dict[str, SourceModule] = {}
    for name, group in sorted(groups.items()):
        modules[name] = read_module(library, name, group, known, problems)
        progress(len(modules), 2 * len(groups))
    if problems.found:
        wrapped = {one.full_name for module in modules.values() for one in module.boundaries}
        refused = tuple(
            f"{one.module}:{one.definition.qualname}"
            for one in found
            if one.definition.full_name not in wrapped
        )
        return Generation({}, tuple(sorted(set(problems.found))), refused=refused)

    def rendered(done: int, total: int) -> None:
        progress(total + done, 2 * total)

    return _written(config, library, modules, found, jobs=jobs, progress=rendered)


def _distinct(found: Iterable[Found]) -> list[Found]:
    """One entry per class; the project's own marker comes first and beats a rule."""
    classes: dict[str, Found] = {}
    for one in found:
        classes.setdefault(one.definition.full_name, one)
    return list(classes.values())


def _written(
    config: Config,
    library: Library,
    modules: Mapping[str, SourceModule],
    found: Sequence[Found],
    *,
    jobs: int,
    progress: Progress,
) -> Generation:
    by_output = {_output(library, name): module for name, module in modules.items()}
    files: dict[Path, str] = {}
    unsettled: set[Path] = set()
    try:
        rendered = render_modules(config, by_output, jobs=jobs, progress=progress)
        for one in rendered:
            path = config.output / _relative(one.output)
            files[path] = one.text
            if not one.settled:
                unsettled.add(path)
        renderer = Renderer(config.template_dir, config.line_length)
        for package, contents in _packages(rendered, ProjectTest(config.sources)):
            path = config.output / package.replace(".", "/") / "__init__.py"
            files[path] = text = renderer.package(contents)
            if config.template_dir or is_long(text, config.line_length):
                unsettled.add(path)
    except TemplateFailedError as error:
        hint = "templates/README.md lists what templates can use"
        problem = Diagnostic(error.template, error.line, 0, "VCR111", error.reason, hint)
        return Generation({}, (problem,))
    everything = frozenset(library.read)
    return Generation(
        files=dict(sorted(files.items())),
        diagnostics=(),
        boundaries=tuple(_listed(by_output, rendered, found)),
        inputs=dict.fromkeys(files, everything),
        unsettled=frozenset(unsettled),
    )


def _output(library: Library, name: str) -> str:
    module = library.module(name)
    return output_module(name, is_package=module is not None and module.is_package)


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
        exported = tuple((name, unique[name]) for name in sorted(unique, key=member_key))
        found.append((package, PackageView(package, lines, exported)))
    return found


def _listed(
    modules: Mapping[str, SourceModule], rendered: Sequence[Rendered], found: Sequence[Found]
) -> list[Generated]:
    by_name = {one.definition.full_name: one for one in found}
    listed = []
    for made in rendered:
        module = modules[made.output]
        for boundary, wrapper in zip(module.boundaries, made.wrappers, strict=True):
            one = by_name[boundary.full_name]
            listed.append(
                Generated(
                    boundary.name,
                    boundary.direction,
                    f"{one.definition.module.name}:{boundary.qualname}",
                    f"{made.output}:{wrapper}",
                    module.display,
                    one.definition.node.lineno,
                )
            )
    return listed
