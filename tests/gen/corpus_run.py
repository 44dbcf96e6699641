"""Wraps every Protocol of installed packages, and says how that went."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vcr_gen.gen.conditions import Target
from vcr_gen.gen.config import BoundaryRule, Config
from vcr_gen.gen.diagnostics import CODES, Diagnostic
from vcr_gen.gen.flatten import is_protocol
from vcr_gen.gen.library import Definition, Library
from vcr_gen.gen.pipeline import Generation, generate

SOURCES = Path(__file__).parent.parent.parent / "src"
ENOUGH = 0.97
LINE_LENGTH = 100


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


def wrap_packages(
    site_packages: Path, packages: Sequence[str], output: Path, version: tuple[int, int]
) -> Outcome:
    """Generate wrappers for every Protocol of the packages; nothing is written."""
    protocols = tuple(find_protocols(site_packages, packages, version))
    first = generate(_config(site_packages, protocols, output, version))
    kept = tuple(one for one in protocols if one not in first.refused)
    generation = (
        generate(_config(site_packages, kept, output, version)) if first.diagnostics else first
    )
    return Outcome(protocols, first.refused, first.diagnostics, generation)


def _config(
    site_packages: Path, protocols: Sequence[str], output: Path, version: tuple[int, int]
) -> Config:
    output.mkdir(parents=True, exist_ok=True)
    empty = output.parent / "no_sources"
    empty.mkdir(exist_ok=True)
    return Config(
        root=output.parent,
        sources=(empty,),
        output=output,
        cache_dir=output.parent / ".cache",
        line_length=LINE_LENGTH,
        target_version=version,
        search_path=(site_packages, SOURCES),
        boundaries=tuple(
            BoundaryRule(protocol=protocol, direction="outbound") for protocol in protocols
        ),
    )


def find_protocols(
    site_packages: Path, packages: Sequence[str], version: tuple[int, int]
) -> Iterator[str]:
    """`module:Name` of every class that names `typing.Protocol` among its bases."""
    empty = site_packages / "no such folder"
    library = Library((empty,), (site_packages, SOURCES), Target(version))
    for package in packages:
        for path in _files(site_packages, package):
            name = _module_name(path.relative_to(site_packages))
            if name is None or b"Protocol" not in path.read_bytes():
                continue
            module = library.module(name)
            for top, bindings in module.bindings.items() if module else ():
                for binding in bindings[:1]:
                    if module and isinstance(binding.node, ast.ClassDef):
                        definition = Definition(module, top, binding.node, binding.when)
                        if is_protocol(library, definition):
                            yield f"{name}:{top}"


def _files(site_packages: Path, package: str) -> list[Path]:
    folders = [site_packages / package, site_packages / f"{package}-stubs"]
    found = {path for folder in folders for path in folder.rglob("*.py*")}
    found.update(site_packages.glob(f"{package}.py"))
    return sorted(path for path in found if path.suffix in {".py", ".pyi"})


def _module_name(relative: Path) -> str | None:
    parts = [*relative.parent.parts, relative.stem]
    parts[0] = parts[0].removesuffix("-stubs")
    if parts[-1] == "__init__":
        parts.pop()
    legal = all(part.isidentifier() for part in parts) and "typeshed" not in parts
    return ".".join(parts) if legal else None


def write(generation: Generation) -> None:
    """Put the generated files in their places."""
    for path, text in generation.files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def type_complaints(output: Path, site_packages: Path, python: str, cache: Path) -> list[str]:
    """What `mypy --strict` says about wrappers, and not about their Protocol's own module.

    A wrapper repeats what its source does wrong, also where the source tells the checker to
    ignore it; so the sources are read without such comments.
    """
    version = site_packages.parent.name.removeprefix("python")
    checker = _Mypy(output, python, version, cache)
    errors = [one for one in checker.run(str(output)) if one.path.is_relative_to(output)]
    untyped = {one.path for one in errors if one.code.startswith("import-")}
    errors = [one for one in errors if one.path not in untyped]
    sources = {one.path: _source(one.path, site_packages) for one in errors}
    shadows = cache / "shadows"
    shadows.mkdir(parents=True, exist_ok=True)
    options: list[str] = []
    for number, (path, source) in enumerate(sorted(sources.items())):
        plain = shadows / f"source_{number}{source.suffix}"
        plain.write_text(_IGNORE.sub("#", source.read_text(encoding="utf-8")), encoding="utf-8")
        options += ["-m", _module(path), "--shadow-file", str(source), str(plain)]
    theirs = {(one.path, one.kind) for one in checker.run(*options)} if options else set()
    return [one.line for one in errors if (sources[one.path], one.kind) not in theirs]


_IGNORE = re.compile(r"#\s*(type:\s*ignore|mypy:)[^\n]*")
_ERROR = re.compile(r"(.+?):\d+(?::\d+)?: error: (.+?)(?:  \[([\w-]+)\])?$")
_FOLLOWS = {"no-untyped-call": "no-untyped-def"}
"""A complaint of the caller that follows from one of the definition."""


@dataclass(frozen=True)
class _Complaint:
    path: Path
    message: str
    code: str
    line: str

    @property
    def kind(self) -> str:
        """The complaint without the names in it, which differ between Protocol and wrapper."""
        if self.code in _FOLLOWS.values() or self.code in _FOLLOWS:
            return _FOLLOWS.get(self.code, self.code)
        return self.code + re.sub(r'"[^"]*"', "", self.message)


@dataclass(frozen=True)
class _Mypy:
    output: Path
    python: str
    version: str
    cache: Path

    def run(self, *arguments: str) -> list[_Complaint]:
        command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-error-summary"]
        options = ["--cache-dir", str(self.cache), "--python-executable", self.python]
        target = ["--python-version", self.version, "--show-absolute-path"]
        result = subprocess.run(
            [*command, *options, *target, *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={"MYPYPATH": f"{self.output}:{SOURCES}", "PATH": ""},
        )
        assert not result.stderr, result.stderr
        found = [(line, _ERROR.match(line)) for line in result.stdout.splitlines()]
        return [
            _Complaint(Path(match[1]), match[2], match[3] or "", line)
            for line, match in found
            if match
        ]


def _module(path: Path) -> str:
    """The source module of a generated one, by its docstring."""
    match = re.search(r"boundaries of `(.+?)`", path.read_text(encoding="utf-8"))
    return match.group(1) if match else ""


def _source(path: Path, site_packages: Path) -> Path:
    """The source module of a generated one, by its header."""
    match = re.search(r"^# source: (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return site_packages / (match.group(1) if match else "")
