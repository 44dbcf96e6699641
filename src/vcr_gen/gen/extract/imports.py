"""The imports that copied annotations and defaults need in their new module."""

import ast
import builtins
import sys
import typing
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from vcr_gen.gen.model.kinds import When
from vcr_gen.gen.sources.library import Library
from vcr_gen.gen.sources.modules import Module
from vcr_gen.gen.types.import_targets import exporter

__all__ = ["Imports", "names_in"]


def names_in(node: ast.AST) -> Iterator[str]:
    """Every free name of an expression, those inside string annotations too."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("Literal"):
        yield from names_in(node.value)  # the strings in it are words, not annotations
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            yield from names_in(ast.parse(node.value, mode="eval"))
        except SyntaxError:
            return  # metadata in `Annotated`, for one
    else:
        for inner in ast.iter_child_nodes(node):
            yield from names_in(inner)


@dataclass(slots=True)
class Imports:
    """Collects what must be imported; what the original imports lazily stays lazy."""

    library: Library
    own: frozenset[str]
    """Names that the new module defines itself."""
    now: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Module → `name`, or `name as other`; the empty name stands for the module itself."""
    checking: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    taken: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The names that are imported: from which module, and what they are called there."""

    def need(self, module: Module, names: Iterable[str]) -> dict[str, str]:
        """Import these names from where the module got them, or from the module itself.

        A name that means something else already, for a member from another module, gets another
        one: all of those are returned.
        """
        others: dict[str, str] = {}
        for name in names:
            binding = module.binding(name)
            if name in self.own or (binding is None and hasattr(builtins, name)):
                continue
            if binding is None:
                # From a star import, which re-exports it.
                self._take(self.now, module.name, name, name, others)
                continue
            only_for_checkers = (
                binding.when is When.CHECKING
                or (module.is_stub and (binding.attribute or name).startswith("_"))
                or (binding.module or "").partition(".")[0] == "_typeshed"  # no real module
            )
            target = self.checking if only_for_checkers else self.now
            if isinstance(binding.node, ast.Import):
                if name in binding.module.split(".")[:1]:
                    target[binding.module].add("")
                else:
                    self._take(target, binding.module, "", name, others)
            elif binding.module:
                home, attribute = exporter(self.library, binding, name)
                self._take(target, _typing_if_there(home, attribute), attribute, name, others)
            else:
                self._take(target, module.name, name, name, others)
        return others

    def _take(
        self,
        target: dict[str, set[str]],
        home: str,
        attribute: str,
        name: str,
        others: dict[str, str],
    ) -> None:
        """Import something under its name, or under another where that is taken."""
        spelled, number = name, 1
        while self.taken.setdefault(spelled, (home, attribute)) != (home, attribute):
            number += 1
            spelled = f"{name}{number}"
        if spelled != name:
            others[name] = spelled
        plain = spelled in {attribute, home if not attribute else ""}
        target[home].add(attribute if plain else f"{attribute} as {spelled}")

    def add(self, module: str, name: str) -> None:
        """Import a name of ours."""
        self.now[module].add(name)
        self.taken[name] = (module, name)

    def render(self) -> str:
        """The import statements, in the usual order."""
        if self.checking:
            self.add("typing", "TYPE_CHECKING")
        blocks = [
            "\n".join(_statements(self.now, standard=True)),
            "\n".join(_statements(self.now, standard=False)),
        ]
        if self.checking:
            lazy = [*_statements(self.checking, standard=True)]
            lazy += _statements(self.checking, standard=False)
            blocks.append("if TYPE_CHECKING:\n" + "\n".join(f"    {line}" for line in lazy))
        return "\n\n".join(block for block in blocks if block)


def _statements(imports: dict[str, set[str]], *, standard: bool) -> Iterator[str]:
    chosen = {
        module: names
        for module, names in sorted(imports.items())
        if (module.partition(".")[0] in sys.stdlib_module_names) is standard
    }
    for module, names in chosen.items():
        yield from (f"import {module}{name}" for name in sorted(names) if _is_whole(name))
    for module, names in chosen.items():
        members = sorted((name for name in names if not _is_whole(name)), key=_as_usual)
        if members:
            yield f"from {module} import {', '.join(members)}"


def _typing_if_there(module: str, name: str) -> str:
    """`typing` for what typeshed takes from `typing_extensions`, which may not be installed."""
    return "typing" if module == "typing_extensions" and hasattr(typing, name) else module


def _as_usual(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions: the order that import sorters keep."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def _is_whole(name: str) -> bool:
    """Whether the module itself is meant, perhaps under another name."""
    return not name or name.startswith(" as ")
