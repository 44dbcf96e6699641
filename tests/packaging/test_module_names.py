"""A module's name says where to look, and public names are listed in few places."""

import ast
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "vcr_gen"

IN_EACH_BOUNDARY = ("__init__.py", "ports.py")


def test_no_basename_stands_for_two_modules() -> None:
    found = (path.name for path in SOURCE.rglob("*.py"))
    names = Counter(name for name in found if name not in IN_EACH_BOUNDARY)
    assert [name for name, count in names.items() if count > 1] == []


def test_only_public_modules_and_packages_list_what_they_offer() -> None:
    listing = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    }
    modules = {name for name in listing if not name.endswith("__init__.py")}
    assert modules == {"boundary.py", "errors.py", "pytest_plugin.py"}
