"""Which test has which cassette; no two may have the same by accident."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from vcr_gen.errors import UsageError
from vcr_gen.pytest.naming import file_names, module_folder, same_file

__all__ = ["CASSETTE", "MARKER", "Claims", "test_id"]

CASSETTE: Final = "vcrgen_cassette"
MARKER: Final = "vcrgen"

_stem: Final = pytest.StashKey[str]()


class Claims:
    """The cassettes of all tests that were collected, and of those opened otherwise."""

    def __init__(self, ending: str) -> None:
        self._ending = ending
        self._owners: dict[str, set[str]] = {}
        self.paths: set[Path] = set()
        """Every cassette that somebody has."""

    def collect(self, nodes: Iterable[object]) -> None:
        """Name the cassettes of tests of one module or class, all of them at once.

        A name depends on the test and its siblings, never on which of them are selected to run.
        """
        wanted = {
            node: tuple(_parts(node))
            for node in nodes
            if isinstance(node, pytest.Item) and CASSETTE in getattr(node, "fixturenames", ())
        }
        names = file_names(wanted.values())
        for item, parts in wanted.items():
            item.stash[_stem] = names[parts]
            self._own(self.path(item, _asked(item, "format")), test_id(item))

    def path(self, item: pytest.Item, ending: object = None) -> Path:
        """Where the cassette of a test lies."""
        if _stem not in item.stash:
            parts = tuple(_parts(item))
            item.stash[_stem] = file_names([parts])[parts]
        return module_folder(item.path) / f"{item.stash[_stem]}.{ending or self._ending}"

    def named(self, folder: Path, name: str, ending: str | None) -> Path:
        """Where the cassette that a factory is asked for lies."""
        parts = (name,)
        return folder / f"{file_names([parts])[parts]}.{ending or self._ending}"

    def claim(self, path: Path, owner: str) -> None:
        """Take a cassette; an error if somebody else has it too."""
        others = sorted(self._own(path, owner) - {owner})
        if others:
            raise UsageError(
                f"{path}: two owners of one cassette: {owner} and {', '.join(others)}\n\n"
                "hint: give one another name: @pytest.mark.vcrgen(name=…)"
            )

    def _own(self, path: Path, owner: str) -> set[str]:
        self.paths.add(path)
        owners = self._owners.setdefault(same_file(str(path)), set())
        owners.add(owner)
        return owners


def test_id(item: pytest.Item) -> str:
    """What to call a test on the command line; xdist adds its group to `nodeid`."""
    return f"{item.parent.nodeid}::{item.name}" if item.parent is not None else item.nodeid


def _parts(item: pytest.Item) -> Sequence[str]:
    """Class and test names, or the name that the marker gives, with the parameters in any case."""
    name = _asked(item, "name")
    if name is not None:
        return [f"{name}{_parameters(item)}"]
    classes = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
    return [*classes, item.name]


def _parameters(item: pytest.Item) -> str:
    function = getattr(item, "originalname", None) or item.name
    return item.name.removeprefix(function)


def _asked(item: pytest.Item, option: str) -> str | None:
    """An option of the marker, where it makes sense; `read_options` complains about the rest."""
    for marker in item.iter_markers(MARKER):
        options: Mapping[str, Any] = marker.kwargs
        if isinstance(options.get(option), str):
            return str(options[option])
    return None
