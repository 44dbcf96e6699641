"""A module's name says where to look: no basename stands for two modules."""

from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "vcr_gen"

IN_EACH_BOUNDARY = ("__init__.py", "ports.py")


def test_no_basename_stands_for_two_modules() -> None:
    found = (path.name for path in SOURCE.rglob("*.py"))
    names = Counter(name for name in found if name not in IN_EACH_BOUNDARY)
    assert [name for name, count in names.items() if count > 1] == []
