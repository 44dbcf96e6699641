"""Reads `[tool.vcr-gen]` of the nearest `pyproject.toml`; reports every mistake with its place."""

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.settings.config import (
    BOUNDARY_SETTINGS,
    MINIMUM_TARGET,
    OPTION_TABLES,
    OVERRIDE_SETTINGS,
    SETTINGS,
    BoundaryRule,
    Config,
    Formatter,
    Override,
    Setting,
    shown_from,
)
from vcr_gen.gen.settings.environments import default_search_path
from vcr_gen.gen.settings.toml_table import StrictTable, find_key, find_table, place_of_syntax_error
from vcr_gen.gen.settings.versions import (
    installed_version,
    is_specifier,
    lowest_python,
    satisfies,
)

_TABLE: Final = "tool.vcr-gen"
_FORMATTERS: Final[Mapping[str, Formatter]] = {"black": "black", "ruff": "ruff"}
_BLACK_LINE_LENGTH: Final = 88
_MENTION: Final = re.compile(rb"vcr[-_]?gen", re.IGNORECASE)


def find_config_file(start: Path) -> Path | None:
    """The nearest `pyproject.toml` upwards with our table; else the nearest one."""
    files = [folder / "pyproject.toml" for folder in (start, *start.parents)]
    files = [file for file in files if file.is_file()]
    ours = (file for file in files if _MENTION.search(file.read_bytes()) and _has_table(file))
    return next(ours, next(iter(files), None))


def has_own_config(folder: Path) -> bool:
    """Whether a folder is a separate project, not part of one above it."""
    return find_config_file(folder) == folder / "pyproject.toml"


def load_config(start: Path, *, file: Path | None = None, settings: Sequence[str] = ()) -> Config:
    """The configuration for a folder; `settings` are `key = value` lines that override the file.

    Raises `RefusedError` with every mistake found.
    """
    file = file or find_config_file(start)
    text = "" if file is None else _text_of(file)
    root = file.parent if file is not None else start
    return parse_config(text, root=root, file=file, settings=settings, here=start)


def load_options(start: Path, name: str, *, file: Path | None = None) -> dict[str, Any]:
    """One of `OPTION_TABLES` in `file`, or in the nearest file, by the names in Python.

    Raises `RefusedError` with every mistake in this table; the rest of the file is not checked.
    """
    file = file or find_config_file(start)
    text = "" if file is None else _text_of(file)
    if file is None or not _MENTION.search(text.encode()):
        return {}
    shown = shown_from(start.resolve(), file.resolve(), root=file.parent.resolve())
    table = _section(_parse(text, shown), "tool", "vcr-gen")
    values = table if isinstance(table, Mapping) else {}
    problems: list[Diagnostic] = []
    options = _options(
        name,
        StrictTable(
            name=_TABLE, values=values, known=(name,), text=text, path=shown, problems=problems
        ),
    )
    if problems:
        raise RefusedError(problems)
    return options


def parse_config(
    text: str,
    *,
    root: Path,
    file: Path | None,
    settings: Sequence[str] = (),
    here: Path | None = None,
) -> Config:
    """Read the configuration of the project in `root`; messages are relative to `here`.

    Raises `RefusedError` with every mistake found.
    """
    root = root.resolve()
    here = here.resolve() if here is not None else root
    name = shown_from(here, root / (file.name if file is not None else "pyproject.toml"), root=root)
    document = _parse(text, name)
    table = _section(document, "tool", "vcr-gen")
    if not isinstance(table, Mapping):
        raise _unreadable(name, 1, 1, f"[{_TABLE}] must be a table")
    chosen: dict[str, object] = {}
    for setting in settings:
        chosen.update(_parse_setting(setting))
    problems = list(_misspelled(document, text, name))
    reader = StrictTable(
        name=_TABLE,
        values={**table, **chosen},
        known=(*_keys(SETTINGS), "boundary", "overrides", *OPTION_TABLES),
        chosen=frozenset(chosen),
        text=text,
        path=name,
        problems=problems,
    )
    config = replace(_build(reader, root, document, file), here=here)
    for options in OPTION_TABLES:
        _options(options, reader)
    reader.refuse_unknown()
    if problems:
        raise RefusedError(problems)
    return config


def _keys(settings: Iterable[Setting]) -> list[str]:
    return [setting.key for setting in settings]


def _build(
    table: StrictTable, root: Path, document: Mapping[str, object], file: Path | None
) -> Config:
    sources = table.strings("sources")
    if sources == ():
        table.wrong("sources", "a list with at least one folder", [])
    required_version = table.string("required-version")
    _check_version(table, required_version)
    default_source = root / "src" if (root / "src").is_dir() else root
    search_path = table.strings("search-path")
    folders = (
        (default_source,)
        if sources is None
        else tuple(_existing(table, "sources", root, source) for source in sources)
    )
    return Config(
        root=root,
        sources=folders,
        exclude=table.strings("exclude") or (),
        follow=table.boolean("follow") is not False,
        output=_output(table, root, folders),
        target_version=_target_version(table, document),
        platform=table.string("platform") or "linux",
        formatter=table.choice("formatter", _FORMATTERS) or "black",
        line_length=table.integer("line-length", low=1, high=10_000) or _line_length(document),
        template_dir=_templates(table, root),
        boundaries=tuple(
            _boundary(entry) for entry in table.tables("boundary", _keys(BOUNDARY_SETTINGS))
        ),
        search_path=(
            default_search_path(root)
            if search_path is None
            else tuple(_existing(table, "search-path", root, path) for path in search_path)
        ),
        overrides=tuple(
            _override(entry, root) for entry in table.tables("overrides", _keys(OVERRIDE_SETTINGS))
        ),
        required_version=required_version,
        root_package=table.string("root-package"),
        cache_dir=_absolute(table, "cache-dir", root, ".vcr-gen-cache"),
        file=file,
    )


def _options(name: str, table: StrictTable) -> dict[str, Any]:
    """The settings in a nested table, by their names in Python."""
    settings = OPTION_TABLES[name]
    inner = table.table(name, _keys(settings))
    given = {setting.attribute: getattr(inner, setting.kind)(setting.key) for setting in settings}
    inner.refuse_unknown()
    return {name: value for name, value in given.items() if value is not None}


def _boundary(table: StrictTable) -> BoundaryRule:
    protocol = table.required("protocol")
    if protocol and not re.fullmatch(r"[^\W\d][\w.]*:[^\W\d][\w.]*", protocol):
        table.wrong("protocol", "spelled `package.module:Name`", protocol)
    given = table.required("direction")
    direction = given and table.choice("direction", {"outbound": "outbound", "inbound": "inbound"})
    rule = BoundaryRule(
        protocol=protocol,
        direction="inbound" if direction == "inbound" else "outbound",
        name=table.string("name"),
        secret=table.strings("secret") or (),
        volatile=table.strings("volatile") or (),
        match=table.strings("match") or (),
        line=find_table(table.text, table.name, index=table.index).line,
    )
    table.refuse_unknown()
    return rule


def _override(table: StrictTable, root: Path) -> Override:
    module = table.values.get("module")
    modules = (table.required("module"),) if not isinstance(module, list) else None
    override = Override(
        modules=modules or table.strings("module") or (),
        formatter=table.choice("formatter", _FORMATTERS),
        line_length=table.integer("line-length", low=1, high=10_000),
        template_dir=_templates(table, root),
    )
    table.refuse_unknown()
    return override


_SUPPORTED_PYTHONS: Final = (
    ("project", "requires-python"),
    ("tool", "poetry", "dependencies", "python"),
)
"""The keys with the Python versions that a project supports."""


def _target_version(table: StrictTable, document: Mapping[str, object]) -> tuple[int, int]:
    target = table.string("target-version")
    if target is None:
        for keys in _SUPPORTED_PYTHONS:
            constraint = _section(document, *keys)
            lowest = lowest_python(constraint) if isinstance(constraint, str) else None
            if lowest is not None:
                return max(MINIMUM_TARGET, lowest)
        return MINIMUM_TARGET
    match = re.fullmatch(r"3\.(\d{1,3})|py3(\d{1,3})", target)
    version = (3, int(match[1] or match[2])) if match else (0, 0)
    if version < MINIMUM_TARGET:
        table.wrong("target-version", 'a Python version from "3.11" on', target)
    return version


def _line_length(document: Mapping[str, object]) -> int:
    """The project's line length, so that its formatter leaves generated files alone."""
    for tool in ("black", "ruff"):
        length = _section(document, "tool", tool, "line-length")
        if isinstance(length, int):
            return length
    return _BLACK_LINE_LENGTH


def _check_version(table: StrictTable, specifier: str | None) -> None:
    if specifier is None:
        return
    if not is_specifier(specifier):
        table.wrong("required-version", "a version, or clauses such as `>=0.1,<0.3`", specifier)
    elif not satisfies(installed_version(), specifier):
        message = f"this project requires vcr-gen {specifier}; this is {installed_version()}"
        table.problem("required-version", "VCR405", message, "install a version that fits")


def _templates(table: StrictTable, root: Path) -> Path | None:
    """The folder of the user's templates."""
    value = table.string("template-dir")
    return None if value is None else _existing(table, "template-dir", root, value)


def _existing(table: StrictTable, key: str, root: Path, value: str) -> Path:
    path = _resolved(table, key, root, value)
    if not path.is_dir() and not _is_for_windows(value):
        table.problem(key, "VCR404", f"`{key}` names a folder that does not exist: {value}")
    return path


def _output(table: StrictTable, root: Path, sources: Sequence[Path]) -> Path:
    """The folder for generated packages; it is not searched for sources."""
    path = _absolute(table, "output", root, "generated")
    inside = any(path != source and path.is_relative_to(source) for source in sources)
    if inside and (path / "__init__.py").exists():
        message = "`output` is a package of the project, and its own modules would not be read"
        table.problem(
            "output", "VCR403", message, "use a folder that contains only generated packages"
        )
    return path


def _absolute(table: StrictTable, key: str, root: Path, default: str) -> Path:
    return _resolved(table, key, root, table.string(key) or default)


def _resolved(table: StrictTable, key: str, root: Path, value: str) -> Path:
    if _is_for_windows(value):
        table.wrong(key, "a path with /, which works on every system", value)
    return (root / os.path.expanduser(value)).resolve()


def _is_for_windows(value: str) -> bool:
    """Whether a path uses backslashes on a system that does not."""
    return "\\" in value and os.sep != "\\"


def _section(document: object, *keys: str) -> object:
    for key in keys:
        document = document.get(key, {}) if isinstance(document, Mapping) else {}
    return document


def _misspelled(document: Mapping[str, object], text: str, path: str) -> Iterator[Diagnostic]:
    """Reports tables whose names look like ours."""
    for key in _tables(document):
        if key != "vcr-gen":
            place = find_key(text, "tool", key)
            message = f"unknown table [tool.{key}]"
            hint = f"did you mean [{_TABLE}]?"
            yield Diagnostic(path, place.line, place.column, "VCR402", message, hint)


def _tables(document: Mapping[str, object]) -> list[str]:
    """The names under `tool` that are ours, or look like it."""
    tools = _section(document, "tool")
    names = [str(key) for key in tools] if isinstance(tools, Mapping) else []
    return [name for name in names if _MENTION.fullmatch(name.encode())]


def _has_table(file: Path) -> bool:
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return True  # report a broken file instead of skipping it
    return bool(_tables(document))


def _parse_setting(setting: str) -> dict[str, object]:
    """Parse `key=value`; a value that is not TOML, or a float, is a plain string."""
    key, equals, value = (part.strip() for part in setting.partition("="))
    if not equals or not re.fullmatch(r"[\w-]+", key):
        message = f"expected KEY=VALUE; got {setting!r}"
        raise RefusedError([Diagnostic("--set", 0, 0, "VCR411", message, "")])
    try:
        parsed = tomllib.loads(setting)
    except tomllib.TOMLDecodeError:
        return {key: value}
    return {key: value} if isinstance(parsed[key], float) else parsed


def _parse(text: str, path: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = place_of_syntax_error(str(error))
        raise _unreadable(path, place.line, place.column, f"is not TOML: {error}") from error
    except RecursionError as error:
        raise _unreadable(path, 0, 0, "is nested too deeply") from error


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _unreadable(str(file), 0, 0, f"cannot be read: {reason}") from error


def _unreadable(path: str, line: int, column: int, message: str) -> RefusedError:
    return RefusedError([Diagnostic(path, line, column, "VCR401", message, "")])
