"""Wraps every Protocol of installed packages, and says how that went."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vcr_gen.gen.diagnostics import CODES, Diagnostic
from vcr_gen.gen.pipeline.generation import Generation, generate
from vcr_gen.gen.protocols.mro import is_protocol
from vcr_gen.gen.settings.config import BoundaryRule, Config, Direction
from vcr_gen.gen.sources.conditions import Target
from vcr_gen.gen.sources.loader import Definition, SourceLoader

SOURCES = Path(__file__).parent.parent.parent / "src"
ENOUGH = 0.97
LINE_LENGTH = 100


@dataclass(frozen=True)
class Corpus:
    """Installed packages, and where the wrappers of their Protocols go."""

    site_packages: Path
    output: Path
    direction: Direction = "outbound"

    @property
    def python(self) -> Path:
        """The Python that the packages are installed for."""
        return self.site_packages.parents[2] / "bin" / "python"

    @property
    def version(self) -> tuple[int, int]:
        """The version of that Python."""
        major, minor = self.site_packages.parent.name.removeprefix("python").split(".")
        return int(major), int(minor)

    def loader(self) -> SourceLoader:
        """All that can be read."""
        return SourceLoader((), (self.site_packages, SOURCES), Target(self.version))

    def config(self, protocols: Sequence[str]) -> Config:
        """What makes wrappers of some Protocols, and of nothing else."""
        self.output.mkdir(parents=True, exist_ok=True)
        empty = self.output.parent / "no_sources"
        empty.mkdir(exist_ok=True)
        return Config(
            root=self.output.parent,
            sources=(empty,),
            output=self.output,
            cache_dir=self.output.parent / ".cache",
            line_length=LINE_LENGTH,
            target_version=self.version,
            search_path=(self.site_packages, SOURCES),
            boundaries=tuple(
                BoundaryRule(protocol=protocol, direction=self.direction) for protocol in protocols
            ),
        )


@dataclass(frozen=True)
class Outcome:
    """What became of the Protocols of some packages."""

    protocols: tuple[str, ...]
    refused: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    generation: Generation

    @property
    def wrapped(self) -> float:
        """The share of Protocols that have a wrapper."""
        return 1 - len(self.refused) / max(1, len(self.protocols))

    def complaints(self) -> list[str]:
        """What breaks the promise: a refusal without a known code, or too many refusals."""
        found = [f"no such code: {one}" for one in self.diagnostics if one.code not in CODES]
        found += [f"refused twice: {one}" for one in self.generation.diagnostics]
        if self.wrapped < ENOUGH:
            found.append(f"only {self.wrapped:.1%} wrapped; refused: {', '.join(self.refused)}")
        return found


def wrap_packages(corpus: Corpus, packages: Sequence[str]) -> Outcome:
    """Generate wrappers for every Protocol of the packages; nothing is written."""
    protocols = tuple(find_protocols(corpus, packages))
    first = generate(corpus.config(protocols))
    kept = tuple(one for one in protocols if one not in first.refused)
    generation = generate(corpus.config(kept)) if first.diagnostics else first
    return Outcome(protocols, first.refused, first.diagnostics, generation)


def find_protocols(corpus: Corpus, packages: Sequence[str]) -> Iterator[str]:
    """`module:Name` of every class that names `typing.Protocol` among its bases.

    Classes that a stub marks `@type_check_only` do not exist at run time, so they are left out.
    """
    loader = corpus.loader()
    for package in packages:
        for path in _files(corpus.site_packages, package):
            name = module_name(path.relative_to(corpus.site_packages))
            if name is None or b"Protocol" not in path.read_bytes():
                continue
            module = loader.module(name)
            for top, bindings in module.bindings.items() if module else ():
                for binding in bindings[:1]:
                    if module and isinstance(binding.node, ast.ClassDef):
                        definition = Definition(module, top, binding.node, binding.when)
                        names = map(ast.unparse, binding.node.decorator_list)
                        if "type_check_only" not in names and is_protocol(loader, definition):
                            yield f"{name}:{top}"


def _files(site_packages: Path, package: str) -> list[Path]:
    folders = [site_packages / package, site_packages / f"{package}-stubs"]
    found = {path for folder in folders for path in folder.rglob("*.py*")}
    found.update(site_packages.glob(f"{package}.py"))
    return sorted(path for path in found if path.suffix in {".py", ".pyi"})


def module_name(relative: Path) -> str | None:
    parts = [*relative.parent.parts, relative.stem]
    parts[0] = parts[0].removesuffix("-stubs")
    if parts[-1] == "__init__":
        parts.pop()
    legal = all(part.isidentifier() for part in parts) and "typeshed" not in parts
    return ".".join(parts) if legal else None


def write(generation: Generation) -> None:
    """Put the generated files in their places."""
    for file in generation.files:
        file.path.parent.mkdir(parents=True, exist_ok=True)
        file.path.write_text(file.text, encoding="utf-8")
