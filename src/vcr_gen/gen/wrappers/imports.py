"""Sorts imports into the sections and the order that isort and ruff know."""

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from vcr_gen.gen.wrappers.layout import Nest

__all__ = ["Import", "ProjectTest", "export_key", "section", "statements"]

_Natural: TypeAlias = tuple[tuple[tuple[int, int, str], ...], str]
_NUMBERS: Final = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True, order=True)
class Import:
    """One name brought into a module."""

    module: str
    attribute: str
    """Empty when the module itself is meant."""
    name: str
    """What it is called here."""

    @property
    def is_renamed(self) -> bool:
        """Whether it is called something else here."""
        return self.name != self.attribute

    @property
    def is_bare(self) -> bool:
        """Whether a module is called what `import` alone calls it."""
        return self.name in {self.module, self.module.partition(".")[0]}

    @property
    def target(self) -> str:
        """`module:attribute`, as a late import says it."""
        return f"{self.module}:{self.attribute}" if self.attribute else self.module


@dataclass(frozen=True)
class ProjectTest:
    """Tells whether a top-level module is the project's own, or generated."""

    sources: tuple[Path, ...]
    _known: dict[str, bool] = field(default_factory=dict)

    def __call__(self, top: str) -> bool:
        """Whether the project has a module of that name."""
        if top not in self._known:
            self._known[top] = (top.startswith("vcr_") and top != "vcr_gen") or any(
                (root / top).is_dir() or (root / f"{top}.py").is_file() for root in self.sources
            )
        return self._known[top]


def section(module: str, is_project: Callable[[str], bool]) -> int:
    """Which section an import stands in: Python's own, other packages, the project."""
    top = module.partition(".")[0]
    if is_project(top):
        return 3
    return 1 if top in sys.stdlib_module_names else 2


def statements(
    imports: Iterable[Import], is_project: Callable[[str], bool]
) -> tuple[tuple[Nest, ...], ...]:
    """The import statements, section by section."""
    groups: dict[int, set[Import]] = {}
    for one in imports:
        groups.setdefault(section(one.module, is_project), set()).add(one)
    return tuple(tuple(_sorted(groups[number])) for number in sorted(groups))


def _sorted(group: set[Import]) -> list[Nest]:
    whole = sorted(
        (one for one in group if not one.attribute),
        key=lambda one: (_natural(one.module), not one.is_bare, one.name),
    )
    lines = [Nest(_import(one), (), "") for one in whole]
    by_module: dict[str, list[Import]] = {}
    for one in group:
        if one.attribute:
            by_module.setdefault(one.module, []).append(one)
    for module in sorted(by_module, key=_natural):
        lines.extend(_from_module(module, by_module[module]))
    return lines


def _from_module(module: str, group: list[Import]) -> list[Nest]:
    """One statement for all plain names, one for each renamed, by their first names."""
    ordered = sorted(group, key=lambda one: (_member_key(one.attribute), one.is_renamed, one.name))
    plain = tuple(one.attribute for one in ordered if not one.is_renamed)
    first = next((one for one in ordered if not one.is_renamed), None)
    return [
        _from(module, (f"{one.attribute} as {one.name}",) if one.is_renamed else plain)
        for one in ordered
        if one.is_renamed or one is first
    ]


def _import(one: Import) -> str:
    return f"import {one.module}" if one.is_bare else f"import {one.module} as {one.name}"


def _from(module: str, names: tuple[str, ...]) -> Nest:
    return Nest(f"from {module} import (", names, ")")


def export_key(name: str) -> tuple[int, _Natural]:
    """The place of a name in `__all__`: as among imports, but capital letters count."""
    return _rank(name), (_pieces(name), name)


def _member_key(name: str) -> tuple[int, _Natural]:
    """Constants first, then classes, then the rest."""
    return _rank(name), _natural(name)


def _rank(name: str) -> int:
    if name.isupper() and len(name) > 1:
        return 0
    return 1 if name[:1].isupper() else 2


def _natural(name: str) -> _Natural:
    """A key that sorts `a2` before `a10`, and regards case last."""
    return _pieces(name.lower()), name


def _pieces(name: str) -> tuple[tuple[int, int, str], ...]:
    pieces = _NUMBERS.split(name)
    return tuple((0, int(one), "") if one.isdigit() else (1, 0, one) for one in pieces if one)
