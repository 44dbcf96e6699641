"""Boundaries that come inside of records, where no signature mentions them."""

import importlib
from pathlib import Path

import pytest
from gen_projects import CASES, GOLDEN

from vcr_gen import Cassette
from vcr_gen.errors import DivergenceError


class Leaf:
    """Is every kind of leaf."""

    def text(self) -> str:
        return "text"

    def broken(self) -> bool:
        return True

    def size(self) -> int:
        return 3

    def year(self) -> int:
        return 1840

    def color(self) -> str:
        return "blue"


def test_what_comes_inside_of_records_replays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (CASES, GOLDEN):
        monkeypatch.syspath_prepend(str(folder))
    records = importlib.import_module("handles.records")
    leaves = importlib.import_module("handles.leaves")
    module = importlib.import_module("vcr_handles.inside_records")

    class Real:
        def book(self, title: str) -> object:
            return records.Book((Leaf(), Leaf()), title)

        def cover(self, book: str) -> object:
            return records.Book.Cover(Leaf())

        def letter(self) -> object:
            return {"notes": {"first": Leaf()}}

        def read(self, reader: object) -> object:
            return reader(Leaf()) if callable(reader) else 0

        def pen(self) -> object:
            return leaves.Pen(Leaf())

        def licked(self, stamps: list[object]) -> object:
            return stamps[0] if stamps else Leaf()

    def session(mode: str, color: str = "blue") -> list[object]:
        with Cassette(tmp_path / "records.yaml", mode=mode) as cassette:
            library = module.VcrLibrary.attach(cassette, Real)
            stamp = library.licked([])
            assert library.licked([stamp]) is stamp
            return [
                [page.text() for page in library.book("Emma").pages],
                library.cover("Emma").seal.broken(),
                library.letter()["notes"]["first"].text(),
                library.read(lambda blob: blob.size() + 1),
                stamp.year(),
                library.book(library.pen().ink.color().replace("blue", color)).title,
            ]

    expected = [["text", "text"], True, "text", 4, 1840, "blue"]
    assert session("all") == session("none") == expected
    with pytest.raises(DivergenceError, match="red"):
        session("none", "red")
