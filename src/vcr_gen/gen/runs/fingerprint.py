"""What a run depends on: the project's sources, what they lead to, and the tool itself."""

import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

from vcr_gen.gen.rendering.formatting import formatter_version
from vcr_gen.gen.resources import templates_dir
from vcr_gen.gen.runs.cache import fingerprint, hash_file
from vcr_gen.gen.settings.config import Config
from vcr_gen.gen.settings.config_file import has_own_config
from vcr_gen.gen.settings.versions import installed_version

__all__ = ["other_projects", "project_files", "settings_fingerprint", "template_files"]

_SETTINGS = "pyproject.toml"
"""The file that makes a project of a folder."""

_PACKAGE = Path(__file__).resolve().parent.parent  # all of `gen`


def settings_fingerprint(config: Config) -> str:
    """A hash of the configuration, the tool itself, its templates, and the formatter."""
    formatters = {config.formatter, *(o.formatter for o in config.overrides if o.formatter)}
    templates = [*_files(templates_dir(), ""), *template_files(config)]
    # An editable install changes without its version, so the generator's own code counts too.
    own = _files(_PACKAGE, ".py")
    return fingerprint(
        {
            "config": asdict(replace(config, here=None)),
            "python": list(sys.version_info[:2]),
            "vcr-gen": installed_version(),
            "formatters": {name: formatter_version(name) for name in sorted(formatters)},
            "packages": sorted(_packages(config)),
            "files": {path: hash_file(path) for path in sorted({*templates, *own})},
        }
    )


def project_files(config: Config) -> list[str]:
    """Every source file of the project, whether it is searched for boundaries or not.

    With them, the settings of folders below: they make other projects of these.
    """
    found: set[str] = set()
    entered: set[str] = set()
    for source in config.sources:
        for parent, folders, files in os.walk(source, followlinks=True):
            real = os.path.realpath(parent)
            inside_output = real == str(config.output) and parent != str(source)
            if real in entered or inside_output:
                folders.clear()  # a link that leads back up, or our own work
                continue
            entered.add(real)
            folders[:] = [
                name
                for name in folders
                if not name.startswith((".", "__pycache__"))
                and not os.path.exists(os.path.join(parent, name, "pyvenv.cfg"))
            ]
            below = parent != str(source)
            paths = (
                os.path.join(parent, name)
                for name in files
                if name.endswith((".py", ".pyi")) or (below and name == _SETTINGS)
            )
            found.update(path for path in paths if os.path.isfile(path))  # no pipe, for one
    return sorted(found)


def other_projects(config: Config) -> list[Path]:
    """The folders below that are projects of their own, and not searched."""
    folders = (Path(path).parent for path in project_files(config) if path.endswith(_SETTINGS))
    return [folder for folder in folders if has_own_config(folder)]


def _packages(config: Config) -> Iterator[str]:
    """The folders that make a name the project's own, also those without any Python in them."""
    for source in config.sources:
        for entry in os.scandir(source):
            ours = entry.path == str(config.output)
            if entry.name.isidentifier() and entry.name != "__pycache__" and not ours:
                yield from [entry.path] if entry.is_dir() else []


def template_files(config: Config) -> Iterator[str]:
    """Every file in the folders of somebody's own templates: one may include another."""
    for folder in (config.template_dir, *(one.template_dir for one in config.overrides)):
        yield from _files(folder, "") if folder else ()


def _files(folder: Path, suffix: str) -> Iterator[str]:
    entered: set[str] = set()
    for parent, folders, files in os.walk(folder, followlinks=True):
        real = os.path.realpath(parent)
        if real in entered:
            folders.clear()  # a link that leads back up
            continue
        entered.add(real)
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (os.path.join(parent, name) for name in files if name.endswith(suffix))
