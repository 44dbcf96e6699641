"""Remembers what was generated from what, so that a run without changes costs almost nothing.

A manifest is a claim about contents: sources with *these* hashes give outputs with *those*. It is
checked against the disk every time, so it may be deleted, damaged, stale, or written by two runs
at once: the worst that can happen is that work is done again.
"""

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.output.write import write_file
from vcr_gen.gen.settings.config import Config

__all__ = [
    "MISSING",
    "Manifest",
    "Output",
    "fingerprint",
    "hash_file",
    "hash_text",
    "listing",
    "load",
    "save",
]

MISSING: Final = ""
"""The hash of what is not there."""

_NAME: Final = "manifest.json"
_MARKS: Final = {
    ".gitignore": "# Made by vcr-gen; safe to delete.\n*\n",
    "CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
}
"""What makes git and backups pass by a folder."""
_OWN: Final = frozenset({_NAME, "mypy", *_MARKS})
"""All that is in a folder of ours; `cache-dir` may also name one of somebody's."""


@dataclass(frozen=True, slots=True)
class Output:
    """One generated file: the hash of its text before formatting, and after."""

    rendered: str
    formatted: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What one run read, and what it came to."""

    settings: str
    """The fingerprint of everything but files: configuration, versions, templates."""
    inputs: Mapping[str, str]
    """Every file, or folder listing, that was read or looked for in vain, with its hash."""
    outputs: Mapping[str, Output]
    warnings: tuple[Diagnostic, ...]
    """What should be looked at, with absolute paths."""

    def holds(self, sources: Mapping[str, str], owned: Collection[Path]) -> bool:
        """Whether a run would come to the same again, and everything on disk is as it was left.

        `sources` are the hashes of the source files of the project, `owned` our files on disk.
        """
        return (
            sources.keys() <= self.inputs.keys()
            and {str(path) for path in owned} == {*self.outputs}
            and all(
                digest == (sources[path] if path in sources else hash_file(path))
                for path, digest in self.inputs.items()
            )
            and all(output.formatted == hash_file(path) for path, output in self.outputs.items())
        )


def load(config: Config, settings: str) -> Manifest | None:
    """The manifest of the last run, or None when there is none for these settings."""
    try:
        document = json.loads((config.cache_dir / _NAME).read_bytes())
        if document.pop("check") != fingerprint(document) or document["settings"] != settings:
            return None
        outputs = {path: Output(**output) for path, output in document.pop("outputs").items()}
        warnings = tuple(Diagnostic(**fields) for fields in document.pop("warnings"))
        return Manifest(outputs=outputs, warnings=warnings, **document)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def save(config: Config, manifest: Manifest) -> None:
    """Remember a run; a folder that cannot be written to only costs the next run its head start."""
    document = {
        "settings": manifest.settings,
        "inputs": dict(manifest.inputs),
        "outputs": {path: asdict(output) for path, output in manifest.outputs.items()},
        "warnings": [asdict(warning) for warning in manifest.warnings],
    }
    document["check"] = fingerprint(document)
    try:
        held = set(os.listdir(config.cache_dir)) if config.cache_dir.exists() else set()
        for name, text in _MARKS.items():
            if held <= _OWN and name not in held:
                write_file(config.cache_dir / name, text)
        write_file(config.cache_dir / _NAME, json.dumps(document))
    except (OSError, RefusedError):
        return


def fingerprint(data: object) -> str:
    """A hash of plain data, the same in every process."""
    return hash_text(json.dumps(data, sort_keys=True, default=str))


def hash_text(text: str) -> str:
    """A hash of a text that does not see line ends."""
    return _digest(text.encode().replace(b"\r\n", b"\n"))


def hash_file(path: str) -> str:
    """The hash of a file's text, or of a folder's listing; `MISSING` when there is neither."""
    try:
        with open(path, "rb") as file:
            return _digest(file.read().replace(b"\r\n", b"\n"))
    except IsADirectoryError:
        return _digest("\n".join(sorted(listing(path))).encode())
    except OSError:
        return MISSING


def listing(folder: str) -> list[str]:
    """What counts of a folder: Python and other tools keep their own things there too."""
    return [name for name in os.listdir(folder) if not name.startswith((".", "__pycache__"))]


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
