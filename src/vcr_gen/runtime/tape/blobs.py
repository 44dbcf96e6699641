"""Large binary data beside a cassette: one file for each, named by its content.

The folder `tape.yaml.blobs` belongs to `tape.yaml`. Entries are read and written as if the data
were in the cassette, so that nothing else knows of it.
"""

import base64
import binascii
import hashlib
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.codec.tags import BASE64, BLOB
from vcr_gen.runtime.plain import Plain

LARGE: Final = 100_000
"""How many characters of base64 a cassette holds in one place."""
_NAME: Final = re.compile(r"[0-9a-f]{64}\Z")


def blobs_of(cassette: Path) -> Path:
    """The folder of a cassette's large data."""
    return cassette.with_name(f"{cassette.name}.blobs")


class Blobs:
    """The large data of a cassette that is being written.

    The cassette that it replaces may mention the same data, which is kept until the end.
    """

    def __init__(self, cassette: Path) -> None:
        self._folder = blobs_of(cassette)
        self._added: set[str] = set()
        self.mentioned: set[str] = set()
        """The data that the new cassette has, by name."""

    def keep(self, data: bytes) -> str:
        """Write data to its file, unless it exists; return its name."""
        name = hashlib.sha256(data).hexdigest()
        self.mentioned.add(name)
        file = self._folder / name
        if not file.exists():
            self._folder.mkdir(exist_ok=True)
            self._added.add(name)
            unfinished = file.with_suffix(".partial")
            unfinished.write_bytes(data)
            os.replace(unfinished, file)
        return name

    def hold(self, data: bytes) -> bool:
        """Whether some of the new cassette's files contain these bytes."""
        return any(data in (self._folder / name).read_bytes() for name in self.mentioned)

    def move_to(self, cassette: Path) -> None:
        """Move the data to a cassette with another name."""
        before, self._folder = self._folder, blobs_of(cassette)
        for name in self.mentioned:
            self._folder.mkdir(exist_ok=True)
            shutil.copyfile(before / name, self._folder / name)
        for name in self._added:
            (before / name).unlink()
        _remove_empty(before)

    def keep_mentioned(self) -> None:
        """The new cassette is in place: remove what only the old one mentioned."""
        if self._folder.is_dir():
            for file in self._folder.iterdir():
                if file.name not in self.mentioned:
                    file.unlink()
            _remove_empty(self._folder)

    def drop_added(self) -> None:
        """The old cassette stays: remove what only the new one mentioned."""
        for name in self._added:
            (self._folder / name).unlink()
        _remove_empty(self._folder)


def _remove_empty(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def without_blobs(plain: Plain, keep: Callable[[bytes], str]) -> Plain:
    """The stored form of a plain; `keep` takes large data and names it."""
    match plain:
        case {"$base64": str() as text, **others} if not others and len(text) > LARGE:
            try:
                data = base64.b64decode(text, validate=True)
            except binascii.Error:
                return plain
            if base64.b64encode(data).decode() != text:  # it would not be restored unchanged
                return plain
            return {BLOB: keep(data)}
        case dict():
            return {key: without_blobs(value, keep) for key, value in plain.items()}
        case list():
            return [without_blobs(value, keep) for value in plain]
    return plain


def with_blobs(plain: Plain, folder: Path, cassette: Path, line: int) -> Plain:
    """The plain form of an entry, with its large data."""
    match plain:
        case {"$blob": str() as name, **others} if not others and _NAME.match(name):
            return {BASE64: base64.b64encode(_read(folder / name, cassette, line)).decode()}
        case dict():
            return {key: with_blobs(value, folder, cassette, line) for key, value in plain.items()}
        case list():
            return [with_blobs(value, folder, cassette, line) for value in plain]
    return plain


def _read(file: Path, cassette: Path, line: int) -> bytes:
    place = f"{file.parent.name}/{file.name}"
    try:
        data = file.read_bytes()
    except OSError as error:
        message = (
            f"its data in {place} cannot be read: {error.strerror}\n"
            "  hint: keep the folder beside the cassette, under the cassette's name"
        )
        raise CassetteFormatError(message, path=cassette, line=line) from error
    if hashlib.sha256(data).hexdigest() != file.name:
        raise CassetteFormatError(f"its data in {place} was changed", path=cassette, line=line)
    return data
