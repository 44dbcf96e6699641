"""What one process does with its portion of the modules: finds, reads and renders boundaries."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.gen.model.boundaries import SourceModule
from vcr_gen.gen.output.ownership import PREFIX
from vcr_gen.gen.processes.cores import Advance, Rounds
from vcr_gen.gen.protocols.candidates import Candidate
from vcr_gen.gen.protocols.discover import Found, discover
from vcr_gen.gen.protocols.problems import Problems
from vcr_gen.gen.protocols.reading import read_module
from vcr_gen.gen.rendering.module import ModuleRenderer, Rendered, places
from vcr_gen.gen.rendering.templates import TemplateFailedError
from vcr_gen.gen.runs.memory import Memory, Remembered
from vcr_gen.gen.settings.config import Config, Direction
from vcr_gen.gen.sources.conditions import Target
from vcr_gen.gen.sources.leads import leads
from vcr_gen.gen.sources.library import Library
from vcr_gen.gen.wrappers.emit import Elsewhere

__all__ = ["STEPS", "Generated", "Made", "News", "Portion", "make_portion"]

_Place: TypeAlias = tuple[int, int, int]

_BEFORE: Final = (-1, 0, 0)
"""A place before all others."""

_OF_PACKAGE: Final = "_package"
"""The generated module for what a package's own `__init__` declares."""

_TOO_DEEP: Final = "no checker would follow it much further; make it flatter, or `exclude` the file"

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
    others: "News"
    """What is known of the modules that nobody works on, from an earlier run."""


@dataclass(frozen=True, slots=True)
class News:
    """What a process finds out that the others must know."""

    found: Mapping[str, _Place] = field(default_factory=dict)
    """The boundaries by full name, each with its place among all."""
    sources: frozenset[str] = frozenset()
    """The source modules that hold boundaries."""
    places: Mapping[str, Elsewhere] = field(default_factory=dict)
    """Where the constants of boundaries are defined, by their full names."""
    flawed: bool = False
    """Whether anything is wrong, so that rendering would be in vain."""

    @classmethod
    def of(cls, modules: Mapping[str, Remembered]) -> "News":
        """What is known of modules that were made before: what was theirs remains theirs."""
        remembered = modules.values()
        return cls(
            found={name: _BEFORE for one in remembered for name in one.constants},
            sources=frozenset(name for name, one in modules.items() if one.output),
            places={
                name: Elsewhere(one.output, constant)
                for one in remembered
                for name, constant in one.constants.items()
            },
        )


@dataclass(frozen=True, slots=True)
class Made:
    """What became of a portion."""

    rendered: tuple[Rendered, ...] = ()
    boundaries: tuple[Generated, ...] = ()
    """In the order of the rendered modules, and of the classes in each."""
    read: frozenset[Path] = frozenset()
    """Every file that was read, and every folder that was searched."""
    missed: frozenset[str] = frozenset()
    """Every file that was looked for in vain."""
    problems: tuple[Diagnostic, ...] = ()
    refused: tuple[tuple[_Place, str], ...] = ()
    """`module:qualname` of the Protocols that cannot be wrapped, each with its place."""
    failed: tuple[str, Diagnostic] | None = None
    """The module that a template failed for, and how."""
    memory: Memory = field(default_factory=Memory)
    """What a later run needs to know."""


def make_portion(portion: Portion, advance: Advance) -> Rounds[News, Made]:
    """Make the wrappers of some modules, while others make those of the rest."""
    config = portion.config
    library = Library(
        config.sources, config.search_path, Target(config.target_version, config.platform)
    )
    problems = Problems(config)
    seen: list[Found] = []
    for candidate in portion.candidates:
        seen += discover(candidate, config, library, problems)
        advance(1)
    news = yield News(
        found=_first({one.definition.full_name: one.place} for one in seen),
        sources=frozenset(one.module for one in seen),
    )
    known = _first(one.found for one in (*news, portion.others))
    found = [one for one in seen if known[one.definition.full_name] == one.place]
    for one in seen:
        _refuse_second_rule(one, known[one.definition.full_name], problems)
    groups: dict[str, list[Found]] = {}
    for one in found:
        groups.setdefault(one.module, []).append(one)
    sources = frozenset[str]().union(*(one.sources for one in (*news, portion.others)))
    for name in groups:
        _refuse_same_output(library, name, sources, problems)
    advance((STEPS - 1) * (len(portion.candidates) - len(groups)))
    modules: dict[str, SourceModule] = {}
    for name, group in groups.items():
        output = _output(library, name)
        try:
            modules[output] = read_module(library, name, group, known, problems)
        except RecursionError:
            message = "a Protocol is too deep to be read: its bases, or what its types are made of"
            place = group[0].definition.module
            problems.report("VCR101", message, _TOO_DEEP, module=place, node=None)
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
    elsewhere = {
        name: place for one in (*news, portion.others) for name, place in one.places.items()
    }
    renderer = ModuleRenderer(config)
    rendered = []
    for output, module in sorted(modules.items()):
        try:
            rendered.append(renderer.render(output, module, elsewhere))
        except TemplateFailedError as error:
            return Made(failed=(output, error.diagnostic(config)))
        advance(1)
    by_name = {modules[one.output].name: one for one in rendered}
    remembered = _remembered(library, portion.candidates, seen, own, by_name)
    return Made(
        rendered=tuple(rendered),
        boundaries=tuple(_listed(modules, rendered, found)),
        read=frozenset({*library.read, *library.listed}),
        missed=frozenset(library.missed),
        memory=Memory(modules=dict(remembered), leads=leads(library)),
    )


def _first(found: Iterable[Mapping[str, _Place]]) -> dict[str, _Place]:
    """The first place of each class: the project's own marker comes first and beats a rule."""
    first: dict[str, _Place] = {}
    for places_of in found:
        for name, place in places_of.items():
            first[name] = min(place, first.get(name, place))
    return first


def _refuse_second_rule(found: Found, first: _Place, problems: Problems) -> None:
    """Of two rules for one class that do not say the same, only the first would count."""
    by_rule, number, _ = first
    rules = problems.config.boundaries
    if by_rule == 1 and not rules[number].says_the_same(rules[found.place[1]]):
        problems.report_rule(
            "VCR110",
            f"`{found.module}:{found.definition.qualname}` has another rule already, "
            f"in line {rules[number].line}",
            "a boundary has one direction and one name; make one rule of the two",
            line=found.line,
        )


def _output(library: Library, name: str) -> str:
    """The generated module for a source module: `app.ports` → `vcr_app.ports`.

    What a package's own `__init__` declares goes to `_package` in it, as the generated `__init__`
    is there to offer everything else too; a single top-level module counts as a package.
    """
    module = library.module(name)
    if "." not in name or (module is not None and module.is_package):
        return f"{PREFIX}{name}.{_OF_PACKAGE}"
    return f"{PREFIX}{name}"


def _refuse_same_output(
    library: Library, name: str, sources: Collection[str], problems: Problems
) -> None:
    """A module that is itself called `_package` must leave the name to its package."""
    parts = name.split(".")
    for length in range(1, len(parts)):
        package = ".".join(parts[:length])
        wanted = f"{PREFIX}{package}.{_OF_PACKAGE}"
        if parts[length] != _OF_PACKAGE or package not in sources:
            continue
        module = library.module(name)
        if module is not None and _output(library, package) == wanted:
            problems.report(
                "VCR304",
                f"wants the generated module `{wanted}`, as the Protocols of `{package}` itself do",
                f"rename `{_OF_PACKAGE}`, or move the Protocols of `{package}` into a module",
                module=module,
                node=None,
            )


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


def _remembered(
    library: Library,
    candidates: Sequence[Candidate],
    seen: Sequence[Found],
    own: Mapping[str, Elsewhere],
    made: Mapping[str, Rendered],
) -> Iterator[tuple[str, Remembered]]:
    """What came of each candidate, by name; `made` by the name of the source module."""
    found: dict[str, set[str]] = {}
    files: dict[str, set[str]] = {}
    for one in seen:
        found.setdefault(one.module, set()).add(one.definition.full_name)
        files.setdefault(one.module, set()).add(str(one.definition.module.path))
    constants: dict[str, dict[str, str]] = {}
    for full_name, place in own.items():
        constants.setdefault(place.module, {})[full_name] = place.constant
    for candidate in candidates:
        name, rendered = candidate.name, made.get(candidate.name)
        named = [str(library.locate(one)) for one in candidate.named]
        yield (
            name,
            Remembered(
                files=sorted(files.get(name, set()).union(candidate.paths, named)),
                found=sorted(found.get(name, ())),
                output=rendered.output if rendered else "",
                constants=constants.get(rendered.output, {}) if rendered else {},
                offered=rendered.offered if rendered else (),
            ),
        )
