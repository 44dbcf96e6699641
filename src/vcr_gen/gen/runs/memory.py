"""What a run remembers of each source module, so that the next can leave alone what is the same."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

__all__ = ["Memory", "Past", "Remembered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What came of one source module that may hold boundaries."""

    files: Collection[str] = ()
    """Where it stands, and where the functions are that rules for it name."""
    found: Collection[str] = ()
    """The classes in it that are marked or named by a rule, by their full names, sorted."""
    output: str = ""
    """The generated module; empty when there is none."""
    constants: Mapping[str, str] = field(default_factory=dict)
    """What the generated module calls its boundaries, by their full names."""
    offered: Collection[str] = ()
    """Everything that the generated module offers to others."""

    def differs_for_others(self, other: "Remembered") -> bool:
        """Whether wrappers in other modules may have to change with this one."""
        mine = (list(self.found), self.output, self.constants)
        return mine != (list(other.found), other.output, other.constants)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What came of all source modules, and which files have a say in which."""

    modules: Mapping[str, Remembered] = field(default_factory=dict)
    """By name; also those that turned out to hold no boundary."""
    leads: Mapping[str, Collection[str]] = field(default_factory=dict)
    """The files that the imports of a file lead to, of those that were read."""

    def with_news(self, news: Iterable["Memory"]) -> "Memory":
        """What is known when some modules were made anew."""
        modules = dict(self.modules)
        leads = {file: set(files) for file, files in self.leads.items()}
        for one in news:
            modules |= one.modules
            for file, files in one.leads.items():
                leads.setdefault(file, set()).update(files)
        return Memory(modules=modules, leads=leads)

    def affected(self, changed: Collection[str]) -> set[str]:
        """The changed files, and all whose imports lead to one of them."""
        importers: dict[str, list[str]] = {}
        for file, leads in self.leads.items():
            for lead in leads:
                importers.setdefault(lead, []).append(file)
        found = set(changed)
        pending = list(changed)
        while pending:
            for file in importers.get(pending.pop(), ()):
                if file not in found:
                    found.add(file)
                    pending.append(file)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """An earlier run, of which only some must be done again."""

    memory: Memory
    affected: Collection[str]
    """The files whose modules must be made again."""

    def is_affected(self, name: str, files: Collection[str] = ()) -> bool:
        """Whether a source module must be made again; it may have other files now than it had."""
        before = self.memory.modules.get(name, Remembered())
        return any(file in self.affected for file in (*before.files, *files))
