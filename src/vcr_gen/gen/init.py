"""`vcr-gen --init`: settings, a first boundary, and a line in `.gitattributes`."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.output.ownership import PREFIX
from vcr_gen.gen.settings.config import Config
from vcr_gen.gen.settings.config_reader import parse_config
from vcr_gen.gen.sources.files import SourceFile, read_sources

_FIRST_BOUNDARY: Final = '''\
"""The boundaries of this program: the calls it makes and the calls it receives."""

from datetime import datetime
from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime: ...
'''


@dataclass(frozen=True, slots=True)
class Step:
    """One file to create or to extend."""

    path: Path
    text: str
    """The whole new text; empty if nothing changes."""
    what: str
    """What the step does, or why there is nothing to do."""


def setup_steps(root: Path) -> Iterator[Step]:
    """The steps that set up a project; nothing is replaced.

    Raises `RefusedError` if an existing file cannot be extended.
    """
    path = root / "pyproject.toml"
    before = _read(path)
    document = _document(path, before)
    # The settings of a parent folder belong to another project.
    config = parse_config(before.replace("\r\n", "\n"), root=root, file=path)
    yield _settings(path, before, document, config)
    yield _boundary(path, config)
    yield _attributes(root, config)


def _settings(path: Path, before: str, document: Mapping[str, Any], config: Config) -> Step:
    tools = document.get("tool")
    if isinstance(tools, Mapping) and "vcr-gen" in tools:
        return Step(path, "", "already has [tool.vcr-gen]")
    addition = (
        f'[tool.vcr-gen]\nsources = ["{config.in_project(config.sources[0])}"]\n'
        f'output = "{config.in_project(config.output)}"\n'
    )
    after = _appended(before, addition, gap="\n")
    _document(path, after)  # `tool = {...}` cannot be added to
    return Step(path, after, "[tool.vcr-gen]")


def _document(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        message = f"[tool.vcr-gen] cannot be added: {error}"
        raise _refused(path, "VCR401", message) from error


def _read(path: Path) -> str:
    """The text with its own line ends; empty when there is no such file."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise _refused(path, "VCR303", f"cannot be added to: {error}") from error


def _refused(path: Path, code: str, message: str) -> RefusedError:
    hint = "correct the file, or add the lines by hand; nothing was written"
    return RefusedError([Diagnostic(path.name, 0, 0, code, message, hint)])


def _boundary(settings: Path, config: Config) -> Step:
    if config.boundaries:
        return Step(settings, "", "already names a Protocol")
    marked = next((file.path for file in read_sources(config) if _is_marked(file)), None)
    if marked is not None:
        return Step(marked, "", "already has an annotated Protocol")
    source = config.sources[0]
    packages = sorted(
        folder.parent
        for folder in source.glob("*/__init__.py")
        if folder.parent.name not in {"generated", "tests"}
    )
    folder = packages[0] if len(packages) == 1 else source
    hidden = (folder / "ports" / "__init__.py").exists()  # Python would import that instead
    path = folder / ("boundaries.py" if hidden else "ports.py")
    if path.exists():
        return Step(path, "", "exists and is left as it is; mark a Protocol in it with @outbound")
    return Step(path, _FIRST_BOUNDARY, "a first annotated Protocol, to be replaced by yours")


def _attributes(root: Path, config: Config) -> Step:
    path = root / ".gitattributes"
    before = _read(path)
    if not config.output.is_relative_to(config.root):
        return Step(path, "", "is left as it is: `output` is outside the project")
    folder = f"{PREFIX}*" if config.output == config.root else config.in_project(config.output)
    if any(line.startswith((f"{folder}/", f'"{folder}/')) for line in before.splitlines()):
        return Step(path, "", f"already mentions {folder}/")
    pattern = f'"{folder}/**"' if " " in folder else f"{folder}/**"
    line = f"{pattern} linguist-generated=true text eol=lf\n"
    return Step(path, _appended(before, line), "marks generated files for git")


def _appended(before: str, addition: str, *, gap: str = "") -> str:
    if not before.strip():
        return addition
    end = "" if before.endswith("\n") else "\n"
    added = f"{end}{gap}{addition}"
    return before + (added.replace("\n", "\r\n") if "\r\n" in before else added)


def _is_marked(file: SourceFile) -> bool:
    """Whether a file of the program probably marks a Protocol; tests may have their own."""
    data = file.data or b""
    return (
        "tests" not in file.module.split(".")
        and b"vcr_gen" in data
        and (b"outbound" in data or b"inbound" in data)
    )
