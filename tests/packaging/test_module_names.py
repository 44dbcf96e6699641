"""A module's name says where to look: no basename stands for two modules."""

from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "vcr_gen"


def test_no_basename_stands_for_two_modules() -> None:
    names = Counter(path.name for path in SOURCE.rglob("*.py") if path.name != "__init__.py")
    assert [name for name, count in names.items() if count > 1] == []
