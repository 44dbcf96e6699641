"""Sorts imports into the sections and the order that isort and ruff know."""

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from vcr_gen.gen.wrappers.layout import Nest

_Natural: TypeAlias = tuple[tuple[tuple[int, int, str], ...], str]
_NUMBERS: Final = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True, order=True)
class Import:
    """One name brought into a module."""

    module: str
    attribute: str
    """Empty when the module itself is meant."""
    name: str
    """Its name here."""

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
        """`module:attribute`, for a late import."""
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
    """The section of an import: the standard library, other packages, or the project."""
    top = module.partition(".")[0]
    if is_project(top):
        return 3
    return 1 if top in sys.stdlib_module_names else 2


def statements(
    imports: Iterable[Import], is_project: Callable[[str], bool]
) -> tuple[tuple[Nest, ...], ...]:
    """The import statements, section by section."""
    groups: dict[int, set[Import]] = {}
    for item in imports:
        groups.setdefault(section(item.module, is_project), set()).add(item)
    return tuple(tuple(_sorted(groups[number])) for number in sorted(groups))


def _sorted(group: set[Import]) -> list[Nest]:
    whole = sorted(
        (item for item in group if not item.attribute),
        key=lambda item: (_natural(item.module), not item.is_bare, item.name),
    )
    lines = [Nest(_import(item), (), "") for item in whole]
    by_module: dict[str, list[Import]] = {}
    for item in group:
        if item.attribute:
            by_module.setdefault(item.module, []).append(item)
    for module in sorted(by_module, key=_natural):
        lines.extend(_from_module(module, by_module[module]))
    return lines


def _from_module(module: str, group: list[Import]) -> list[Nest]:
    """One statement for all plain names, one for each renamed name, sorted by their first names."""
    ordered = sorted(
        group,
        key=lambda item: (_member_key(item.attribute), item.is_renamed, item.name),
    )
    plain = tuple(item.attribute for item in ordered if not item.is_renamed)
    first = next((item for item in ordered if not item.is_renamed), None)
    return [
        Nest(
            f"from {module} import (",
            (f"{item.attribute} as {item.name}",) if item.is_renamed else plain,
        )
        for item in ordered
        if item.is_renamed or item is first
    ]


def _import(item: Import) -> str:
    return f"import {item.module}" if item.is_bare else f"import {item.module} as {item.name}"


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
    return tuple(
        (0, int(piece), "") if piece.isdigit() else (1, 0, piece) for piece in pieces if piece
    )
