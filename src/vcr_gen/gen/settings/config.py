"""The configuration: everything besides the sources that decides what is generated.

The tables of settings say which keys there are and what they mean: `config_reader` knows no others,
`--show-config` prints them, and `docs/reference/configuration.md` lists them.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, Literal, TypeAlias

Direction: TypeAlias = Literal["outbound", "inbound"]
Formatter: TypeAlias = Literal["black", "ruff"]

MINIMUM_TARGET: Final = (3, 11)
"""The lowest Python that generated code supports."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of a table in `pyproject.toml`, as the reference describes it."""

    key: str
    about: str
    default: str = ""
    field: str = ""
    """The attribute that holds its value; by default the key with underscores."""
    kind: Literal["strings", "boolean", "texts", "lists"] = "strings"
    """Its value in one of `OPTION_TABLES`: `texts` and `lists` are tables, of strings and lists."""

    @property
    def attribute(self) -> str:
        """The attribute of `Config`, `BoundaryRule` or `Override` that holds its value."""
        return self.field or self.key.replace("-", "_")


SETTINGS: Final = (
    Setting(
        "sources",
        "folders from which the project's packages are imported",
        '`["src"]` if it exists, else `["."]`',
    ),
    Setting("output", "folder for the generated packages", '`"generated"`'),
    Setting(
        "root-package",
        "the package that the generated package is named after, as in `acme.billing` → "
        "`vcr_billing`; for projects inside a larger package",
        "the top-level package",
    ),
    Setting("exclude", "globs of files and folders that are not searched for boundaries", "`[]`"),
    Setting(
        "follow",
        "whether Protocols without a mark that a boundary mentions are wrapped too: their objects "
        "are handles",
        "`true`",
    ),
    Setting(
        "target-version",
        'the Python that `sys.version_info` conditions are evaluated for, as `"3.12"`',
        "lower bound of `requires-python`, or of `python` in `[tool.poetry.dependencies]`; "
        'at least `"3.11"`',
    ),
    Setting(
        "platform", "the platform that `sys.platform` conditions are evaluated for", '`"linux"`'
    ),
    Setting("formatter", '`"black"` or `"ruff"`', '`"black"`'),
    Setting("line-length", "a number", "that of `[tool.black]`, else of `[tool.ruff]`, else 88"),
    Setting(
        "template-dir",
        "folder of templates that replace those of the same name; see `templates/README.md`",
        "none",
    ),
    Setting(
        "search-path",
        "folders in which installed packages are found, as source",
        "the site-packages of the project's environment",
    ),
    Setting("required-version", 'a version of vcr-gen, or clauses: `">=0.1,<0.3"`', "none"),
    Setting(
        "cache-dir",
        "folder of the cache; safe to delete",
        '`".vcr-gen-cache"`',
    ),
)
"""The keys of `[tool.vcr-gen]`."""

BOUNDARY_SETTINGS: Final = (
    Setting(
        "protocol", '`"package.module:Name"`, in the project or in an installed package; required'
    ),
    Setting("direction", '`"outbound"` or `"inbound"`; required'),
    Setting("name", "the boundary's name in cassettes; default: the class's"),
    Setting(
        "secret",
        "fields to treat as `Secret`: a parameter, or a [field path](python-api.md#rule) such as "
        '`"body.$json.pin"` or `"$result.token"`, in every method that has it; `"method.path"` '
        "for one method; or a property or attribute",
    ),
    Setting("volatile", "fields to treat as `Volatile`, with the same syntax"),
    Setting(
        "match",
        "fields to compare by a function, which the generated module imports: "
        '`"method.path = package.module:function"`',
    ),
)
"""The keys of `[[tool.vcr-gen.boundary]]`."""

OVERRIDE_SETTINGS: Final = (
    Setting(
        "module",
        "a dotted name or a list of names, with `*` as a wildcard; required",
        field="modules",
    ),
    Setting("formatter", "as above"),
    Setting("line-length", "as above"),
    Setting("template-dir", "as above"),
)
"""The keys of `[[tool.vcr-gen.overrides]]`."""

OPTION_TABLES: Final[Mapping[str, tuple[Setting, ...]]] = {
    "http": (
        Setting("ignore-headers", 'headers that are not compared; `"x-trace-*"` names several'),
        Setting("ignore-query", "query parameters that are not compared"),
        Setting("headers", "the only headers that are compared"),
        Setting("body", "`false` if bodies are not compared", kind="boolean"),
        Setting("repeat", 'requests that may be repeated; `"GET /jobs/*"` names several'),
    ),
    "redaction": (
        Setting("patterns", "a table of names and regular expressions", kind="texts"),
        Setting("keys", "names of fields, keys, headers and parameters"),
        Setting("fields", "a table of methods and lists of their field paths", kind="lists"),
        Setting("allow", "texts that are not secrets"),
        Setting("off", "default rules that are switched off"),
    ),
    "scan": (Setting("allow", "fingerprints of findings that `scan` and `lint` ignore"),),
}
"""The keys of `[tool.vcr-gen.http]` and so on: options of tests and of cassettes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRules:
    """The rules for single fields of a Protocol's calls."""

    secret: tuple[str, ...] = ()
    """Fields to treat as `Secret`: `method.path`, or a path in every method that has it."""
    volatile: tuple[str, ...] = ()
    """Fields to treat as `Volatile`, with the same syntax."""
    match: tuple[str, ...] = ()
    """Fields to compare by a function: `method.path = package.module:function`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryRule(FieldRules):
    """One `[[tool.vcr-gen.boundary]]`: marks a Protocol of another package."""

    protocol: str
    """`pkg.mod:Name`"""
    direction: Direction
    name: str | None = None
    """The stable name in cassettes; by default the name of the class."""
    line: int = 1
    """The line of the rule in `pyproject.toml`, for diagnostics."""

    def says_the_same(self, other: "BoundaryRule") -> bool:
        """Whether another rule has the same effect."""
        return self == replace(other, protocol=self.protocol, line=self.line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """One `[[tool.vcr-gen.overrides]]`: other settings for some source modules."""

    modules: tuple[str, ...]
    """Dotted names; `*` matches anything."""
    formatter: Formatter | None = None
    line_length: int | None = None
    template_dir: Path | None = None

    def applies_to(self, module: str) -> bool:
        """Whether one of the patterns names this module."""
        return any(fnmatchcase(module, pattern) for pattern in self.modules)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """`[tool.vcr-gen]`, checked and with its defaults filled in; all paths are absolute."""

    root: Path
    """The folder of the `pyproject.toml`."""
    sources: tuple[Path, ...]
    """Import roots of the project: as configured, else `src` if it exists, else the root."""
    output: Path
    root_package: str | None = None
    """The package that the generated package is named after; by default the top-level one."""
    exclude: tuple[str, ...] = ()
    """Globs, relative to the root, of files and folders that are not searched for boundaries."""
    follow: bool = True
    """Whether unmarked Protocols that a boundary mentions are wrapped too."""
    target_version: tuple[int, int] = MINIMUM_TARGET
    """`sys.version_info` conditions are evaluated for it, so that all machines agree."""
    platform: str = "linux"
    """`sys.platform` conditions are evaluated for it, so that all machines agree."""
    formatter: Formatter = "black"
    line_length: int = 88
    template_dir: Path | None = None
    """Templates in this folder replace the shipped ones of the same name."""
    boundaries: tuple[BoundaryRule, ...] = ()
    search_path: tuple[Path, ...] = ()
    """Folders of installed packages."""
    overrides: tuple[Override, ...] = ()
    required_version: str | None = None
    cache_dir: Path
    """The folder of the manifest; safe to delete."""
    file: Path | None = None
    """The file this was read from, if there was one."""
    here: Path | None = None
    """The folder that paths in messages are relative to; the root if None."""

    def for_module(self, module: str) -> "Config":
        """The configuration for one source module, overrides applied; later ones win."""
        config = self
        for override in self.overrides:
            if override.applies_to(module):
                config = replace(
                    config,
                    formatter=override.formatter or config.formatter,
                    line_length=override.line_length or config.line_length,
                    template_dir=override.template_dir or config.template_dir,
                )
        return config

    def inside_root_package(self, module: str) -> str:
        """The name of a module below the parent of the root package."""
        root = self.root_package
        if root is None or not f"{module}.".startswith(f"{root}."):
            return module
        return module[len(root) - len(root.rpartition(".")[2]) :]

    def display(self, path: Path) -> str:
        """A path for messages, relative to the current folder."""
        return shown_from(self.here or self.root, path, root=self.root)

    def in_project(self, path: Path) -> str:
        """A path for settings and generated files, relative to the project."""
        return (path.relative_to(self.root) if path.is_relative_to(self.root) else path).as_posix()


def shown_from(here: Path, path: Path, *, root: Path) -> str:
    """A path relative to the folder `here`; absolute if that is outside the project."""
    if path.is_relative_to(here):
        return path.relative_to(here).as_posix()
    if path.is_relative_to(root) and here.is_relative_to(root):
        return Path(os.path.relpath(path, here)).as_posix()
    return path.as_posix()
