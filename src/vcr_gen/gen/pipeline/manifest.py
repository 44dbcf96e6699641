"""The manifest: what the last run read and what it generated, so that a no-op run can stop early.

A manifest is a claim about contents: sources with *these* digests give outputs with *those*. Every
run checks it against the disk, so it may be deleted, damaged, stale, or written by two runs at
once: at worst, work is done again.
"""

import json
import os
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from vcr_gen.gen.diagnostics import RefusedError
from vcr_gen.gen.output.write import write_file
from vcr_gen.gen.rendering.formatting import formatter_version
from vcr_gen.gen.resources import templates_dir
from vcr_gen.gen.settings.config import Config
from vcr_gen.gen.settings.versions import installed_version
from vcr_gen.gen.sources.files import digest, digest_at

_NAME: Final = "manifest.json"
_MARKS: Final = {
    ".gitignore": "# Made by vcr-gen; safe to delete.\n*\n",
    "CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
}
"""Files that make git and backup tools skip the cache folder."""
_OWN: Final = frozenset({_NAME, "mypy", *_MARKS})
"""The contents of our cache folder; `cache-dir` may also be a folder with other files."""
_PACKAGE: Final = Path(__file__).resolve().parent.parent  # all of `gen`


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What one run read, and what it generated."""

    settings: str
    """The fingerprint of everything but files: configuration, versions, templates."""
    sources: Mapping[str, str]
    """The files of the project that were searched for boundaries, with their digests."""
    inputs: Mapping[str, str]
    """Every other file or folder that was read or not found, with its digest."""
    outputs: Mapping[str, str]
    """The generated files, with their digests."""

    def holds(self, sources: Mapping[str, str], owned: Collection[Path]) -> bool:
        """Whether a run would generate the same again, and every generated file is unchanged.

        `sources` are the digests of the project's files, `owned` the generated files on disk.
        """
        return (
            sources == self.sources
            and {str(path) for path in owned} == {*self.outputs}
            and all(known == digest_at(path) for path, known in self.inputs.items())
            and all(known == digest_at(path) for path, known in self.outputs.items())
        )


def load(config: Config, settings: str) -> Manifest | None:
    """The manifest of the last run; None if there is none, or if the settings differ."""
    try:
        document = json.loads((config.cache_dir / _NAME).read_bytes())
        if document.pop("check") != _fingerprint(document) or document["settings"] != settings:
            return None
        return Manifest(**document)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def save(config: Config, manifest: Manifest) -> None:
    """Store a manifest; if the folder is not writable, the next run does the work again."""
    document = asdict(manifest)
    document["check"] = _fingerprint(document)
    try:
        held = set(os.listdir(config.cache_dir)) if config.cache_dir.exists() else set()
        for name, text in _MARKS.items():
            if held <= _OWN and name not in held:
                write_file(config.cache_dir / name, text)
        write_file(config.cache_dir / _NAME, json.dumps(document))
    except (OSError, RefusedError):
        return


def settings_fingerprint(config: Config) -> str:
    """A hash of the configuration, the generator itself, its templates, and the formatter."""
    overrides = config.overrides
    formatters = {config.formatter, *(rule.formatter for rule in overrides if rule.formatter)}
    templates = [*_files(templates_dir(), ""), *template_files(config)]
    # An editable install changes without its version, so the generator's own code counts too.
    own = _files(_PACKAGE, ".py")
    return _fingerprint(
        {
            "config": asdict(replace(config, here=None)),
            "python": list(sys.version_info[:2]),
            "vcr-gen": installed_version(),
            "formatters": {name: formatter_version(name) for name in sorted(formatters)},
            "packages": sorted(_packages(config)),
            "files": {path: digest_at(path) for path in sorted({*templates, *own})},
        }
    )


def template_files(config: Config) -> Iterator[str]:
    """Every file in the folders of the user's own templates: one template may include another."""
    for folder in (config.template_dir, *(rule.template_dir for rule in config.overrides)):
        yield from _files(folder, "") if folder else ()


def hash_text(text: str) -> str:
    """The hash of a text; all line endings count as the same."""
    return digest(text.encode())


def _fingerprint(data: object) -> str:
    return hash_text(json.dumps(data, sort_keys=True, default=str))


def _packages(config: Config) -> Iterator[str]:
    """The folders in `sources`, which decide whether a package belongs to the project."""
    for source in config.sources:
        for entry in os.scandir(source):
            ours = entry.path == str(config.output)
            if entry.name.isidentifier() and entry.name != "__pycache__" and not ours:
                yield from [entry.path] if entry.is_dir() else []


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
