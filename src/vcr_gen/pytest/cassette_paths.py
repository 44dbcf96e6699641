"""The path of each test's cassette; no two tests share a file by accident."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from vcr_gen.errors import UsageError
from vcr_gen.pytest.constants import CASSETTE, FOLDER, MARKER

# The longest name that file systems take is 255 bytes, 143 on encrypted ones;
# `.copy.jsonl.partial` must fit behind it.
_LONGEST: Final = 120
_HASH: Final = 10
_FORBIDDEN: Final = re.compile(r"""[<>?%*:|"'/\\]|^[.\s]+|[.\s]+$""")
# Controls, lone surrogates, private and unassigned code points, line and paragraph separators.
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)

_stem: Final = pytest.StashKey[str]()


class CassettePaths:
    """The cassettes of all collected tests, and of those that factories opened."""

    def __init__(self, used: set[str]) -> None:
        """Every path given out is added to `used`."""
        self._owners: dict[str, set[str]] = {}
        self._used = used

    def collect(self, nodes: Iterable[object]) -> None:
        """Name the cassettes of all tests of a module or class at once.

        A name depends on the test and its siblings, never on which of them are selected to run.
        """
        parts_of = {
            node: tuple(_name_parts(node))
            for node in nodes
            if isinstance(node, pytest.Item) and CASSETTE in getattr(node, "fixturenames", ())
        }
        names = file_names(parts_of.values())
        for item, parts in parts_of.items():
            item.stash[_stem] = names[parts]
            self._add_owner(self.for_test(item, _marked(item, "format")), test_id(item))

    def for_test(self, item: pytest.Item, format: object = None) -> Path:  # noqa: A002
        """The path of a test's cassette."""
        if _stem not in item.stash:
            parts = tuple(_name_parts(item))
            item.stash[_stem] = file_names([parts])[parts]
        return module_folder(item.path) / f"{item.stash[_stem]}.{format or 'yaml'}"

    def for_name(self, folder: Path, name: str, format: str | None) -> Path:  # noqa: A002
        """The path of a cassette that a factory opens by name."""
        parts = (name,)
        return folder / f"{file_names([parts])[parts]}.{format or 'yaml'}"

    def claim(self, path: Path, owner: str) -> None:
        """Reserve a cassette for its owner; raise if it has another owner too."""
        others = sorted(self._add_owner(path, owner) - {owner})
        if others:
            raise UsageError(
                f"{path}: two owners of one cassette: {owner} and {', '.join(others)}\n\n"
                "hint: rename one of them: @pytest.mark.vcrgen(name=…)"
            )

    def _add_owner(self, path: Path, owner: str) -> set[str]:
        self._used.add(str(path))
        owners = self._owners.setdefault(same_file(str(path)), set())
        owners.add(owner)
        return owners


def test_id(item: pytest.Item) -> str:
    """The test's id on the command line; xdist adds its group to `nodeid`."""
    return f"{item.parent.nodeid}::{item.name}" if item.parent is not None else item.nodeid


def module_folder(test_file: Path) -> Path:
    """The folder for the cassettes of a test module."""
    return test_file.parent / FOLDER / test_file.stem


def file_names(names: Iterable[Sequence[str]]) -> Mapping[Sequence[str], str]:
    """A distinct file name, without its suffix, for each dotted name.

    A name that is safe, short and unique stays as it is. Names that would become the same file,
    also on file systems that ignore case, get a hash of the original name.
    """
    safe_names = {parts: _safe(".".join(parts)) for parts in names}
    counts = Counter(same_file(name) for name in safe_names.values())
    return {
        parts: _with_hash(name, parts) if counts[same_file(name)] > 1 else name
        for parts, name in safe_names.items()
    }


def same_file(name: str) -> str:
    """A key that is equal for two names if some file system treats them as one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def _safe(name: str) -> str:
    visible = "".join(
        "-" if unicodedata.category(letter) in _INVISIBLE else letter
        for letter in unicodedata.normalize("NFC", name)
    )
    safe = _FORBIDDEN.sub("-", visible) or "-"
    if _DEVICES.fullmatch(safe):
        safe = f"-{safe}"
    return safe if len(safe.encode()) <= _LONGEST else _with_hash(safe, (name,))


def _with_hash(name: str, parts: Sequence[str]) -> str:
    """The name, cut if it is too long, followed by a hash of the original."""
    original = "\0".join(parts).encode(errors="surrogatepass")
    suffix = "-" + hashlib.sha256(original).hexdigest()[:_HASH]
    return name.encode()[: _LONGEST - len(suffix)].decode(errors="ignore") + suffix


def _name_parts(item: pytest.Item) -> Sequence[str]:
    """The class and test names, or the name from the marker; parameters follow either."""
    name = _marked(item, "name")
    if name is not None:
        function = getattr(item, "originalname", None) or item.name
        return [f"{name}{item.name.removeprefix(function)}"]
    classes = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
    return [*classes, item.name]


def _marked(item: pytest.Item, option: str) -> str | None:
    """A string option of the marker; `read_options` reports values of a wrong type."""
    for marker in item.iter_markers(MARKER):
        options: Mapping[str, Any] = marker.kwargs
        if isinstance(options.get(option), str):
            return str(options[option])
    return None
