"""Finds modules by name and follows names to their definitions, reading source on demand."""

import ast
import importlib.util
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from vcr_gen.gen.model.annotation import Annotation, Reference, When, fold
from vcr_gen.gen.sources.conditions import Target
from vcr_gen.gen.sources.files import MISSING, digest, digest_at
from vcr_gen.gen.sources.modules import Binding, Module, read_names
from vcr_gen.gen.sources.syntax import parse

_SUFFIXES: Final = ("/__init__.pyi", "/__init__.py", ".pyi", ".py")
"""A package hides a module with the same name beside it."""
_RUNNING_SUFFIXES: Final = tuple(suffix for suffix in _SUFFIXES if suffix.endswith(".py"))
_MOST_HOPS: Final = 50
_MOST_STARS: Final = 300
_RUNNING: Final = "!"
"""A suffix that distinguishes the module behind a stub from the stub."""
_STANDARD: Final = sys.stdlib_module_names | {"_typeshed", "typing_extensions"}
"""The modules that typeshed describes."""


@dataclass(frozen=True, slots=True)
class Definition:
    """The statement that defines a name, and its module."""

    module: Module
    qualname: str
    node: ast.stmt
    when: When

    @property
    def full_name(self) -> str:
        """Module and qualified name joined by a dot; aliases of `typing` become one name."""
        return fold(f"{self.module.name}.{self.qualname}")


@dataclass(frozen=True, slots=True)
class Unread:
    """A name in a module that was not read: it is of the standard library, or was not found."""

    module: str
    qualname: str
    """Empty for the module itself."""

    @property
    def full_name(self) -> str:
        """Module and qualified name joined by a dot; aliases of `typing` become one name."""
        return fold(f"{self.module}.{self.qualname}" if self.qualname else self.module)


def is_standard(module: str) -> bool:
    """Whether a module belongs to Python itself, or to typeshed."""
    return module.partition(".")[0] in _STANDARD


@cache
def _typeshed() -> Path | None:
    """The stubs of the standard library that come with mypy; mypy itself is not imported."""
    spec = importlib.util.find_spec("mypy")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        return Path(folder) / "typeshed" / "stdlib"
    return None


@dataclass
class SourceLoader:
    """Finds and reads modules; each is parsed once, on first use."""

    sources: Sequence[Path]
    search_path: Sequence[Path] = ()
    target: Target = field(default_factory=Target)
    contents: dict[Path, bytes] = field(default_factory=dict)
    """The files of the project, already read; each is removed when it is parsed."""
    keep_trees: bool = False
    """Whether to keep the syntax trees of all files, not only of the project's."""
    read: dict[Path, Module | SyntaxError] = field(default_factory=dict)
    """Every file read so far."""
    digests: dict[str, str] = field(default_factory=dict)
    """The digests of what was read or looked for outside of `contents`: files, missing files too,
    and folders that were searched by a pattern. If one changes, names may mean something else."""
    references: dict[tuple[str, str, tuple[str, ...]], Reference | None] = field(
        default_factory=dict
    )
    """How to refer to the names of modules, by module, name and dotted tail."""
    made_of: dict[str, tuple[Annotation, ...]] = field(default_factory=dict)
    """The types that a type consists of, by its full name."""
    _modules: dict[str, Module | None] = field(default_factory=dict)
    _places: dict[str, Path | None] = field(default_factory=dict)

    def module(self, name: str) -> Module | None:
        """The module with that name, or None if it does not exist or cannot be parsed."""
        if name not in self._modules:
            self._modules[name] = self._load(name)
        return self._modules[name]

    def module_at(self, path: Path, name: str) -> Module:
        """The module in a file; raises `SyntaxError` and `OSError`."""
        known = self.read.get(path)
        if known is None:
            try:
                standard = path.suffix == ".pyi" and self._is_typeshed(path)
                data = self.contents.pop(path, None)
                is_own = data is not None
                if data is None:
                    data = path.read_bytes()
                    self.digests[str(path)] = digest(data)
                parsed = parse(data)
                known = read_names(
                    name,
                    path,
                    parsed,
                    self.target,
                    standard=standard,
                    keep_tree=self.keep_trees or is_own,
                )
            except SyntaxError as error:
                known = error
            self.read[path] = known
        if isinstance(known, SyntaxError):
            raise known
        self._modules.setdefault(name, known)
        return known

    def runtime_module(self, module: Module) -> Module | None:
        """The `.py` module behind a stub; None if there is none."""
        if not module.is_stub:
            return module
        found = self._locate(module.name, _RUNNING_SUFFIXES)
        try:
            return self.module_at(found, f"{module.name}{_RUNNING}") if found else None
        except (SyntaxError, OSError):
            return None

    def is_compiled(self, name: str) -> bool:
        """Whether an extension module of that name is installed."""
        relative = name.replace(".", "/")
        roots = (*self.sources, *self.search_path)
        for folder in {str((root / relative).parent) for root in roots} - self.digests.keys():
            self.digests[folder] = digest_at(folder)
        return any(
            any(root.glob(f"{relative}.*.so")) or any(root.glob(f"{relative}.*.pyd"))
            for root in roots
        )

    def locate(self, name: str) -> Path | None:
        """The file of a module, stubs first; a package before a module of its name."""
        if name not in self._places:
            self._places[name] = self._locate(name, _SUFFIXES)
        return self._places[name]

    def _load(self, name: str) -> Module | None:
        path = self.locate(name)
        try:
            return self.module_at(path, name) if path else None
        except (SyntaxError, OSError):
            return None

    def _locate(self, name: str, suffixes: Iterable[str]) -> Path | None:
        if not name or not all(part.isidentifier() for part in name.split(".")):
            return None
        relative = name.replace(".", "/")
        top, _, rest = relative.partition("/")
        found = self._first(self.sources, relative, suffixes)
        if found or is_standard(name):
            typeshed = _typeshed()
            return found or (self._first([typeshed], relative, suffixes) if typeshed else None)
        stubs = f"{top}-stubs/{rest}" if rest else f"{top}-stubs"
        return self._first(self.search_path, stubs, suffixes) or self._first(
            self.search_path, relative, suffixes
        )

    def _first(self, roots: Iterable[Path], relative: str, suffixes: Iterable[str]) -> Path | None:
        for root in roots:
            for suffix in suffixes:
                path = f"{root}/{relative}{suffix}"
                if os.path.isfile(path):  # `Path.is_file` raises for names that are too long
                    return Path(path)
                self.digests[path] = MISSING
        return None

    def _is_typeshed(self, path: Path) -> bool:
        typeshed = _typeshed()
        return typeshed is not None and path.is_relative_to(typeshed)

    def follow(self, module: Module, name: str) -> Definition | Unread | None:
        """The definition of a module-level name, through imports and re-exports."""
        for _ in range(_MOST_HOPS):
            binding = self.binding(module, name)
            if binding is None:
                return self._submodule(module, name)
            if not binding.module:
                return Definition(module, name, binding.node, binding.when)
            step = self.step(binding, name)
            if not isinstance(step, tuple):
                return step
            module, name = step
        return None

    def step(self, binding: Binding, name: str) -> tuple[Module, str] | Unread:
        """One hop along an import: the next module and name to look at."""
        if isinstance(binding.node, ast.Import):
            asname = any(alias.asname == name for alias in binding.node.names)
            return Unread(binding.module if asname else name, "")
        attribute = name if binding.attribute == "*" else binding.attribute
        if is_standard(binding.module) and not self.project_has(binding.module):
            return Unread(binding.module, attribute)
        target = self.module(binding.module)
        if target is None:
            return Unread(binding.module, attribute)
        there = target.binding(attribute)
        if there is not None and (there.module, there.attribute) == (target.name, attribute):
            return Unread(f"{target.name}.{attribute}", "")  # `from . import x` in `__init__`
        if there is None and self.from_star(target, attribute) is None:
            if self.locate(f"{target.name}.{attribute}") is not None or target.is_package:
                return Unread(f"{target.name}.{attribute}", "")
            return Unread(binding.module, attribute)
        return target, attribute

    def project_has(self, name: str) -> bool:
        """Whether a module is found outside of typeshed, even under a standard name."""
        found = self.locate(name)
        return found is not None and not self._is_typeshed(found)

    def _submodule(self, module: Module, name: str) -> Unread | None:
        if module.is_package and self.locate(f"{module.name}.{name}") is not None:
            return Unread(f"{module.name}.{name}", "")
        return None

    def binding(self, module: Module, name: str) -> Binding | None:
        """The binding of a name in a module; a later star import replaces an earlier binding."""
        own = module.binding(name)
        star = self.from_star(module, name)
        if own is None or star is None:
            return own or star
        both_run = own.when is star.when is When.ALWAYS
        return star if both_run and star.line > own.line else own

    def from_star(self, module: Module, name: str, asked: set[str] | None = None) -> Binding | None:
        """The star import that provides a name, if any: the last that always runs.

        Modules may import each other, so modules in `asked` are not searched again.
        """
        asked = set() if asked is None else asked
        if name.startswith("__") or len(asked) > _MOST_STARS:
            return None
        asked.add(module.name)
        for star in sorted(module.star_imports, key=_later_first):
            target = self.module(star.module)
            if target is None or target.name in asked:
                continue
            if target.exported is not None and name not in target.exported:
                continue
            if name.startswith("_") and target.exported is None:
                continue
            if target.binding(name) or self.from_star(target, name, asked):
                return star
        return None

    def member(self, definition: Definition | Unread, name: str) -> Definition | Unread | None:
        """The definition of `.name` of a module or class."""
        if isinstance(definition, Unread):
            if definition.qualname:
                return Unread(definition.module, f"{definition.qualname}.{name}")
            if is_standard(definition.module) and not self.project_has(definition.module):
                inner = f"{definition.module}.{name}"
                return Unread(inner, "") if _is_module(inner) else Unread(definition.module, name)
            module = self.module(definition.module)
            if module is None:
                inner = f"{definition.module}.{name}"
                return Unread(inner, "") if self.locate(inner) else Unread(definition.module, name)
            return self.follow(module, name) or self._submodule(module, name)
        if isinstance(definition.node, ast.ClassDef):
            qualname = f"{definition.qualname}.{name}"
            for node in definition.node.body:
                if isinstance(node, ast.ClassDef) and node.name == name:
                    return Definition(definition.module, qualname, node, definition.when)
            return Unread(definition.module.name, qualname)
        return None

    def read_standard(self, found: Unread) -> Definition | None:
        """The stub of something in the standard library."""
        module = self.module(found.module)
        head, _, rest = found.qualname.partition(".")
        definition = self._follow_standard(module, head) if module else None
        return definition if not rest else None

    def _follow_standard(self, module: Module, name: str) -> Definition | None:
        for _ in range(_MOST_HOPS):
            found = self.follow(module, name)
            if not isinstance(found, Unread):
                return found
            inner = self.module(found.module)
            if inner is None or (inner is module and found.qualname == name):
                return None
            module, name = inner, found.qualname
        return None


def _later_first(star: Binding) -> tuple[When, int]:
    """The order in which star imports are searched for a name."""
    return star.when, -star.line if star.when is When.ALWAYS else star.line


def _is_module(name: str) -> bool:
    """Whether a dotted name of the standard library is a module, by typeshed's files."""
    typeshed = _typeshed()
    place = f"{typeshed}/{name.replace('.', '/')}"
    return typeshed is not None and any(os.path.isfile(f"{place}{suffix}") for suffix in _SUFFIXES)
