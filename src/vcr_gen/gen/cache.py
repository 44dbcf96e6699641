"""Remembers what was generated from what, so that a run without changes costs almost nothing.

A manifest is a claim about contents: sources with *these* hashes give outputs with *those*. It is
checked against the disk every time, so it may be deleted, damaged, stale, or written by two runs
at once: the worst that can happen is that work is done again.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Final

from vcr_gen.gen.config import Config
from vcr_gen.gen.diagnostics import RefusedError
from vcr_gen.gen.write import write_file

__all__ = ["Manifest", "Output", "fingerprint", "hash_file", "hash_text", "load", "save"]

_NAME: Final = "manifest.json"
_IGNORE: Final = "# Made by vcr-gen; safe to delete.\n*\n"
_TAG: Final = "Signature: 8a477f597d28d172789f06886806bc55\n"


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
    """Every file, or folder listing, that was read or looked for, with its hash."""
    outputs: Mapping[str, Output]

    def still_true(self, settings: str, inputs: Iterable[str]) -> bool:
        """Whether nothing that was read has changed, and `inputs` names nothing new."""
        return (
            self.settings == settings
            and all(path in self.inputs for path in inputs)
            and all(hash_file(path) == digest for path, digest in self.inputs.items())
        )


def load(config: Config) -> Manifest | None:
    """The manifest of the last run, or None when there is none that can be read."""
    try:
        document = json.loads((config.cache_dir / _NAME).read_bytes())
        if document.pop("check") != fingerprint(document):
            return None
        outputs = {path: Output(**output) for path, output in document.pop("outputs").items()}
        return Manifest(outputs=outputs, **document)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def save(config: Config, manifest: Manifest) -> None:
    """Remember a run; a folder that cannot be written to only costs the next run its head start."""
    document = {
        "settings": manifest.settings,
        "inputs": dict(manifest.inputs),
        "outputs": {path: asdict(output) for path, output in manifest.outputs.items()},
    }
    document["check"] = fingerprint(document)
    try:
        for name, text in ((".gitignore", _IGNORE), ("CACHEDIR.TAG", _TAG)):
            if not (config.cache_dir / name).exists():
                write_file(config.cache_dir / name, text)
        write_file(config.cache_dir / _NAME, json.dumps(document))
    except RefusedError:
        return


def fingerprint(data: object) -> str:
    """A hash of plain data, the same in every process."""
    return hash_text(json.dumps(data, sort_keys=True, default=str))


def hash_text(text: str) -> str:
    """A hash of a text that does not see line ends."""
    return _digest(text.encode().replace(b"\r\n", b"\n"))


def hash_file(path: str) -> str:
    """The hash of a file's text, or of a folder's listing; empty when there is neither."""
    try:
        with open(path, "rb") as file:
            return _digest(file.read().replace(b"\r\n", b"\n"))
    except IsADirectoryError:
        names = (name for name in os.listdir(path) if not name.startswith((".", "__pycache__")))
        return _digest("\n".join(sorted(names)).encode())
    except OSError:
        return ""


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
