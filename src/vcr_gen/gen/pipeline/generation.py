"""From configuration to generated text, in one pass: discover, build the model, render."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.gen.model.boundary_model import Boundary, SourceModule
from vcr_gen.gen.output.ownership import PREFIX
from vcr_gen.gen.protocols.build_model import build_module, read_boundaries
from vcr_gen.gen.protocols.discover import FoundProtocol, discover_marked, discover_ruled
from vcr_gen.gen.protocols.problems import Problems
from vcr_gen.gen.protocols.value_notes import ValueNote, value_notes
from vcr_gen.gen.rendering.formatting import Progress, RenderedFile, no_progress
from vcr_gen.gen.rendering.render_modules import RenderedModule, render_modules, render_packages
from vcr_gen.gen.rendering.templates import TemplateFailedError
from vcr_gen.gen.settings.config import Config, Direction
from vcr_gen.gen.sources.conditions import Target
from vcr_gen.gen.sources.files import SourceFile, read_sources
from vcr_gen.gen.sources.loader import SourceLoader

_Item = TypeVar("_Item")

_OF_PACKAGE: Final = "_package"
"""The generated module for the Protocols in a package's `__init__`."""

_STEPS: Final = 3
"""Discover, build the model, render: what `progress` counts."""


@dataclass(frozen=True, slots=True)
class Generated:
    """One boundary and its wrapper."""

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
    reached_from: str = ""
    """Where another boundary mentions it, if the Protocol is neither marked nor in a rule."""
    values: tuple[ValueNote, ...] = ()
    """The types of its values that are not declared as data, where that was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """The outcome of a run, as data; nothing has been written."""

    files: tuple[RenderedFile, ...] = ()
    """Sorted by path."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """With absolute paths."""
    boundaries: tuple[Generated, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)
    """The digests of all files that were read, looked for, or listed with their folder."""
    notes: tuple[str, ...] = ()
    """Remarks about Protocols that can be wrapped."""
    refused: tuple[str, ...] = ()
    """`module:qualname` of the Protocols that cannot be wrapped."""


def generate(
    config: Config,
    sources: Sequence[SourceFile] | None = None,
    *,
    progress: Progress = no_progress,
    with_values: bool = False,
) -> Generation:
    """Generate the wrappers of all boundaries; all problems are reported at once.

    `sources` are the files of the project, where the caller has read them already. `with_values`
    looks at the types of all values, too.
    """
    sources = read_sources(config) if sources is None else sources
    loader = SourceLoader(
        config.sources,
        config.search_path,
        Target(config.target_version, config.platform),
        {file.path: file.data for file in sources if file.data is not None},
    )
    problems = Problems(config)
    found = _discover(config, sources, loader, problems, progress)
    read = {
        boundary.full_name: (protocol, boundary)
        for protocol, boundary in read_boundaries(loader, found.values(), problems)
    }
    modules = _build_models(config, read, loader, problems, progress)
    if problems.found:
        return Generation(
            diagnostics=tuple(sorted(set(problems.found))),
            refused=tuple(
                f"{marked.module}:{marked.definition.qualname}"
                for full_name, marked in found.items()
                if full_name not in read
            ),
        )
    try:
        rendering = render_modules(config, modules)
        rendered = list(_with_progress(rendering, len(modules), progress, step=2))
        packages = render_packages(config, rendered)
        files = (*(module.file for module in rendered), *packages)
    except TemplateFailedError as error:
        return Generation(diagnostics=(error.diagnostic(config),))
    looked_at = loader if with_values else None
    return Generation(
        files=tuple(sorted(files, key=lambda file: file.path)),
        boundaries=tuple(_listed(modules, rendered, read, looked_at)),
        notes=tuple(_notes(modules, read)),
        inputs=loader.digests,
    )


def _discover(
    config: Config,
    sources: Sequence[SourceFile],
    loader: SourceLoader,
    problems: Problems,
    progress: Progress,
) -> dict[str, FoundProtocol]:
    """The boundaries by full name; a mark in the source wins over a rule."""
    found: dict[str, FoundProtocol] = {}
    candidates = [file for file in sources if file.candidate]
    for file in _with_progress(candidates, len(candidates), progress, step=0):
        for marked in discover_marked(file, config, loader, problems):
            found.setdefault(marked.definition.full_name, marked)
    for ruled in discover_ruled(config, loader, problems):
        first = found.setdefault(ruled.definition.full_name, ruled)
        _refuse_second_rule(ruled, first, problems)
    return found


def _build_models(
    config: Config,
    read: Mapping[str, tuple[FoundProtocol, Boundary]],
    loader: SourceLoader,
    problems: Problems,
    progress: Progress,
) -> dict[str, SourceModule]:
    """The source modules that hold boundaries, by the names of their generated modules."""
    groups: dict[str, list[tuple[FoundProtocol, Boundary]]] = {}
    for protocol, boundary in read.values():
        groups.setdefault(protocol.module, []).append((protocol, boundary))
    modules: dict[str, SourceModule] = {}
    for name in _with_progress(sorted(groups), len(groups), progress, step=1):
        _refuse_same_output(config, loader, name, groups, problems)
        module = build_module(loader, name, groups[name], read, problems)
        modules[_output(config, loader, name)] = module
    return dict(sorted(modules.items()))


def _with_progress(
    items: Iterable[_Item], total: int, progress: Progress, *, step: int
) -> Iterator[_Item]:
    """The items of one step; reports the progress of all steps after each."""
    for number, item in enumerate(items, 1):
        yield item
        progress(step * total + number, _STEPS * total)


def _refuse_second_rule(found: FoundProtocol, first: FoundProtocol, problems: Problems) -> None:
    """Report a second rule for a class that differs from the first."""
    if first.rule and found.rule and not first.rule.says_the_same(found.rule):
        problems.report_rule(
            "VCR110",
            f"`{found.module}:{found.definition.qualname}` already has a different rule, "
            f"in line {first.rule.line}",
            "a boundary has one direction and one name; merge the two rules",
            line=found.rule.line,
        )


def _output(config: Config, loader: SourceLoader, name: str) -> str:
    """The generated module for a source module: `app.ports` → `vcr_app.ports`.

    With the root package `acme.app`, it is the same for `acme.app.ports`.

    What a package's own `__init__` declares goes to `_package` in it, as the generated `__init__`
    is there to offer everything else too; a single top-level module counts as a package.
    """
    module = loader.module(name)
    inner = config.inside_root_package(name)
    if "." not in inner or (module is not None and module.is_package):
        return f"{PREFIX}{inner}.{_OF_PACKAGE}"
    return f"{PREFIX}{inner}"


def _refuse_same_output(
    config: Config,
    loader: SourceLoader,
    name: str,
    sources: Collection[str],
    problems: Problems,
) -> None:
    """Report a module called `_package` whose package needs that name."""
    parts = name.split(".")
    for length in range(1, len(parts)):
        package = ".".join(parts[:length])
        wanted = f"{PREFIX}{config.inside_root_package(package)}.{_OF_PACKAGE}"
        if parts[length] != _OF_PACKAGE or package not in sources:
            continue
        module = loader.module(name)
        if module is not None and _output(config, loader, package) == wanted:
            problems.report(
                "VCR304",
                f"needs the generated module `{wanted}`, and so do the Protocols of `{package}`",
                f"rename `{_OF_PACKAGE}`, or move the Protocols of `{package}` into a module",
                module=module,
                node=None,
            )


def _listed(
    modules: Mapping[str, SourceModule],
    rendered: Iterable[RenderedModule],
    read: Mapping[str, tuple[FoundProtocol, Boundary]],
    loader: SourceLoader | None,
) -> Iterator[Generated]:
    for made in rendered:
        module = modules[made.name]
        for boundary, view in zip(module.boundaries, made.view.boundaries, strict=True):
            protocol = read[boundary.full_name][0]
            definition = protocol.definition
            yield Generated(
                boundary.name,
                boundary.direction,
                f"{definition.module.name}:{boundary.qualname}",
                f"{made.name}:{view.wrapper}",
                module.display,
                definition.node.lineno,
                protocol.reached_from,
                tuple(value_notes(loader, boundary)) if loader else (),
            )


def _notes(
    modules: Mapping[str, SourceModule], read: Mapping[str, tuple[FoundProtocol, Boundary]]
) -> Iterator[str]:
    for module in modules.values():
        for boundary in module.boundaries:
            if boundary.members and not boundary.is_annotated:
                line = read[boundary.full_name][0].definition.node.lineno
                yield (
                    f"{module.display}:{line}: note: `{boundary.qualname}` has no annotations, so "
                    "values are recorded without declared types; annotate it to record callbacks "
                    "and streams"
                )
