"""What `mypy --strict` and pyright say of wrappers, and not of the sources they draw from.

A wrapper repeats what its source does wrong, also where the source tells the checker to look
away; so the sources are checked without such comments. Members that a Protocol inherits are drawn
from the module of the base.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from corpus_run import SOURCES, Corpus

from vcr_gen.gen.protocols.mro import linearize
from vcr_gen.gen.protocols.problems import Problems
from vcr_gen.gen.sources.loader import Definition, SourceLoader
from vcr_gen.gen.sources.modules import Module

_COMMENT = re.compile(r"#\s*(type:\s*ignore|mypy:|pyright:)[^\n]*")
_IMPORTS = re.compile("import-.*|reportMissing(Imports|TypeStubs)")
"""Complaints that leave a module's types open: what it imports is not installed."""
_UNTYPED = re.compile("import-untyped|reportMissingTypeStubs")
"""Complaints about a package that does not say that it has types; its own modules draw none."""
_UNSAID = re.compile("no-untyped-.*|report(Unknown|Untyped|MissingParameter|MissingTypeArg).*")
"""Complaints about types that are not said, by the definition or by those who use it."""
_UNFIT = re.compile("return-value|reportReturnType")
_MISUSED = re.compile("type-var|reportInvalidTypeVarUse")
"""Complaints about type variables of a Protocol, which no class then fits."""


@dataclass(frozen=True)
class Complaint:
    """What a checker said of a place."""

    path: Path
    line: int
    message: str
    code: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message} [{self.code}]"

    def is_like(self, other: "Complaint") -> bool:
        """Whether the other says the same, but for the names that only a wrapper has."""
        if _UNSAID.fullmatch(self.code):
            return _UNSAID.fullmatch(other.code) is not None
        if _UNFIT.fullmatch(self.code) and _MISUSED.fullmatch(other.code):
            return True
        return (self.code, self._unnamed) == (other.code, other._unnamed)

    @property
    def _unnamed(self) -> str:
        return re.sub(r'"[^"]*"', "", self.message.partition("\n")[0])


class _Checker(Protocol):
    def wrappers(self) -> list[Complaint]: ...

    def sources(self, modules: Collection[Module]) -> list[Complaint]: ...


def type_complaints(corpus: Corpus, scratch: Path) -> list[str]:
    """The complaints about the wrappers of a corpus that their sources do not draw themselves."""
    checkers: list[_Checker] = [_Mypy(corpus, scratch), _Pyright(corpus, scratch)]
    return [line for checker in checkers for line in _unexcused(checker, corpus)]


def _unexcused(checker: _Checker, corpus: Corpus) -> Iterator[str]:
    errors = [one for one in checker.wrappers() if one.path.is_relative_to(corpus.output)]
    untyped = {one.path for one in errors if _UNTYPED.fullmatch(one.code)}
    errors = [one for one in errors if one.path not in untyped]
    loader = corpus.loader()
    drawn = {path: _drawn_from(path, loader, corpus) for path in {one.path for one in errors}}
    modules = {one.name: one for found in drawn.values() for one in found}
    theirs = checker.sources(modules.values()) if modules else []
    for error in errors:
        sources = {one.path for one in drawn[error.path]}
        said = [one for one in theirs if one.path in sources]
        if not any(_IMPORTS.fullmatch(one.code) or error.is_like(one) for one in said):
            yield str(error)


def _drawn_from(path: Path, loader: SourceLoader, corpus: Corpus) -> list[Module]:
    """The modules of the Protocols that a generated module wraps, and of their bases."""
    problems = Problems(corpus.config(()))
    found: dict[str, Module] = {}
    for module, name in re.findall(r'protocol="(.+?):(.+?)"', path.read_text(encoding="utf-8")):
        home = loader.module(module)
        assert home is not None, module
        protocol = loader.follow(home, name)
        assert isinstance(protocol, Definition), name
        for ancestor in linearize(loader, protocol, problems):
            if not ancestor.definition.module.standard:
                found[ancestor.definition.module.name] = ancestor.definition.module
    return list(found.values())


_ERROR = re.compile(r"(.+?):(\d+)(?::\d+)?: error: (.+?)(?:  \[([\w-]+)\])?$")


@dataclass(frozen=True)
class _Mypy:
    corpus: Corpus
    scratch: Path

    def wrappers(self) -> list[Complaint]:
        return self._run(str(self.corpus.output))

    def sources(self, modules: Collection[Module]) -> list[Complaint]:
        shadows = self.scratch / "shadows"
        shadows.mkdir(parents=True, exist_ok=True)
        options: list[str] = []
        for number, module in enumerate(filter(self._is_seen, modules)):
            plain = shadows / f"source_{number}{module.path.suffix}"
            plain.write_text(_plain(module.path), encoding="utf-8")
            options += ["-m", module.name, "--shadow-file", str(module.path), str(plain)]
        return self._run(*options)

    def _is_seen(self, module: Module) -> bool:
        """Whether mypy finds it; not what stubs of another distribution leave out."""
        top = module.name.partition(".")[0]
        stubs = self.corpus.site_packages / f"{top}-stubs"
        return not stubs.is_dir() or module.path.is_relative_to(stubs)

    def _run(self, *arguments: str) -> list[Complaint]:
        command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-error-summary"]
        options = ["--cache-dir", str(self.scratch / "mypy"), "--show-absolute-path"]
        version = ".".join(map(str, self.corpus.version))
        target = ["--python-executable", str(self.corpus.python), "--python-version", version]
        result = subprocess.run(
            [*command, *options, *target, *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={"MYPYPATH": f"{self.corpus.output}:{SOURCES}", "PATH": ""},
        )
        assert not result.stderr, result.stderr
        matches = map(_ERROR.match, result.stdout.splitlines())
        return [
            Complaint(Path(one[1]), int(one[2]), one[3], one[4] or "") for one in matches if one
        ]


_HEAP = "--max-old-space-size=8192"
"""Room for all wrappers at once; with less, pyright forgets what it knows, again and again."""


@dataclass(frozen=True)
class _Pyright:
    corpus: Corpus
    scratch: Path

    def wrappers(self) -> list[Complaint]:
        return self._run(self.corpus.output.parent, [self.corpus.output])

    def sources(self, modules: Collection[Module]) -> list[Complaint]:
        """pyright leaves out what is installed, and knows no shadows: it is given copies."""
        copies, installed = self.scratch / "copies", self.corpus.site_packages
        shutil.rmtree(copies, ignore_errors=True)
        copies.mkdir(parents=True)
        places = {copies / one.path.relative_to(installed): one.path for one in modules}
        for top in {one.relative_to(copies).parts[0] for one in places}:
            if (installed / top).is_dir():
                shutil.copytree(installed / top, copies / top)
        for copy, original in places.items():
            copy.write_text(_plain(original), encoding="utf-8")
        return [replace(one, path=places[one.path]) for one in self._run(copies, sorted(places))]

    def _run(self, root: Path, include: list[Path]) -> list[Complaint]:
        config = root / "pyrightconfig.json"
        options = {
            "include": [str(path.relative_to(root)) for path in include],  # all, if not relative
            "exclude": ["**/nothing"],  # by default, folders that virtual environments lie in
            "extraPaths": [str(path) for path in (root, self.corpus.output, SOURCES)],
            "typeCheckingMode": "strict",
            "pythonVersion": ".".join(map(str, self.corpus.version)),
            "reportMissingModuleSource": False,
        }
        config.write_text(json.dumps(options), encoding="utf-8")
        command = [sys.executable, "-m", "pyright", "--project", str(config), "--outputjson"]
        result = subprocess.run(
            [*command, "--pythonpath", str(self.corpus.python)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "NODE_OPTIONS": _HEAP},
        )
        return [
            Complaint(Path(one["file"]), start["line"] + 1, one["message"], one.get("rule", ""))
            for one in json.loads(result.stdout)["generalDiagnostics"]
            for start in [one["range"]["start"]]
            if one["severity"] == "error"
        ]


def _plain(path: Path) -> str:
    """A source without the comments that tell a checker to look away."""
    return _COMMENT.sub("#", path.read_text(encoding="utf-8"))
