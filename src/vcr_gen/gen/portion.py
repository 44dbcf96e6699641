"""What one process does with its portion of the modules: finds, reads and renders boundaries."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from vcr_gen.gen.conditions import Target
from vcr_gen.gen.config import Config, Direction
from vcr_gen.gen.cores import Advance, Rounds
from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.gen.discover import Candidate, Found, discover
from vcr_gen.gen.emit import Elsewhere
from vcr_gen.gen.library import Library
from vcr_gen.gen.model import SourceModule
from vcr_gen.gen.ownership import PREFIX
from vcr_gen.gen.problems import Problems
from vcr_gen.gen.reading import read_module
from vcr_gen.gen.render import TemplateFailedError
from vcr_gen.gen.rendering import ModuleRenderer, Rendered, places

__all__ = ["STEPS", "Generated", "Made", "News", "Portion", "make_portion"]

_Place: TypeAlias = tuple[int, int]

STEPS: Final = 3
"""What is done with each module: it is searched, read and rendered."""


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


@dataclass(frozen=True, slots=True)
class Portion:
    """The modules that one process works on."""

    config: Config
    candidates: Sequence[Candidate]


@dataclass(frozen=True, slots=True)
class News:
    """What a process finds out that the others must know."""

    found: Mapping[str, _Place] = field(default_factory=dict)
    """The boundaries by full name, each with its place among all."""
    places: Mapping[str, Elsewhere] = field(default_factory=dict)
    """Where the constants of boundaries are defined, by their full names."""
    flawed: bool = False
    """Whether anything is wrong, so that rendering would be in vain."""


@dataclass(frozen=True, slots=True)
class Made:
    """What became of a portion."""

    rendered: tuple[Rendered, ...] = ()
    boundaries: tuple[Generated, ...] = ()
    """In the order of the rendered modules, and of the classes in each."""
    read: frozenset[Path] = frozenset()
    """Every file that was read."""
    problems: tuple[Diagnostic, ...] = ()
    refused: tuple[tuple[_Place, str], ...] = ()
    """`module:qualname` of the Protocols that cannot be wrapped, each with its place."""
    failed: tuple[str, Diagnostic] | None = None
    """The module that a template failed for, and how."""


def make_portion(portion: Portion, advance: Advance) -> Rounds[News, Made]:
    """Make the wrappers of some modules, while others make those of the rest."""
    config = portion.config
    library = Library(
        config.sources, config.search_path, Target(config.target_version, config.platform)
    )
    problems = Problems(config)
    found: list[Found] = []
    for candidate in portion.candidates:
        found += discover(candidate, config, library, problems)
        advance(1)
    news = yield News(found=_first({one.definition.full_name: one.place} for one in found))
    known = _first(one.found for one in news)
    found = [one for one in found if known[one.definition.full_name] == one.place]
    groups: dict[str, list[Found]] = {}
    for one in found:
        groups.setdefault(one.module, []).append(one)
    advance((STEPS - 1) * (len(portion.candidates) - len(groups)))
    modules: dict[str, SourceModule] = {}
    for name, group in groups.items():
        output = _output(library, name)
        modules[output] = read_module(library, name, group, known, problems)
        advance(1)
    own = {name: place for module in modules.items() for name, place in places(*module)}
    news = yield News(places=own, flawed=bool(problems.found))
    if any(one.flawed for one in news):
        refused = tuple(
            (one.place, f"{one.module}:{one.definition.qualname}")
            for one in found
            if one.definition.full_name not in own
        )
        return Made(problems=tuple(problems.found), refused=refused)
    elsewhere = {name: place for one in news for name, place in one.places.items()}
    renderer = ModuleRenderer(config)
    rendered = []
    for output, module in sorted(modules.items()):
        try:
            rendered.append(renderer.render(output, module, elsewhere))
        except TemplateFailedError as error:
            return Made(failed=(output, error.diagnostic()))
        advance(1)
    return Made(
        rendered=tuple(rendered),
        boundaries=tuple(_listed(modules, rendered, found)),
        read=frozenset(library.read),
    )


def _first(found: Iterable[Mapping[str, _Place]]) -> dict[str, _Place]:
    """The first place of each class: the project's own marker comes first and beats a rule."""
    first: dict[str, _Place] = {}
    for places_of in found:
        for name, place in places_of.items():
            first[name] = min(place, first.get(name, place))
    return first


def _output(library: Library, name: str) -> str:
    """The generated module for a source module: `app.ports` → `vcr_app.ports`.

    What a package's own `__init__` declares goes to `_package` in it, as the generated `__init__`
    is there to offer everything else too; a single top-level module counts as a package.
    """
    module = library.module(name)
    if "." not in name or (module is not None and module.is_package):
        return f"{PREFIX}{name}._package"
    return f"{PREFIX}{name}"


def _listed(
    modules: Mapping[str, SourceModule], rendered: Sequence[Rendered], found: Sequence[Found]
) -> Iterator[Generated]:
    by_name = {one.definition.full_name: one for one in found}
    for made in rendered:
        module = modules[made.output]
        for boundary, wrapper in zip(module.boundaries, made.wrappers, strict=True):
            one = by_name[boundary.full_name]
            yield Generated(
                boundary.name,
                boundary.direction,
                f"{one.definition.module.name}:{boundary.qualname}",
                f"{made.output}:{wrapper}",
                module.display,
                one.definition.node.lineno,
            )
