"""A module's name says where to look: no basename stands for two modules."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "vcr_gen"

IN_EACH_BOUNDARY = ("__init__.py", "ports.py")


def test_no_basename_stands_for_two_modules() -> None:
    found = (path.name for path in SOURCE.rglob("*.py"))
    names = Counter(name for name in found if name not in IN_EACH_BOUNDARY)
    assert [name for name, count in names.items() if count > 1] == []


def imports_of(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from ((node.module, alias.name) for alias in node.names)


def test_a_module_offers_every_name_that_others_import_from_it() -> None:
    trees = {path: ast.parse(path.read_text()) for path in SOURCE.rglob("*.py")}
    offered = {
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts): ast.literal_eval(
            node.value
        )
        for path, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    }
    del offered["vcr_gen.boundary"]  # it offers what users import
    missing = {
        f"{module}: {name}"
        for tree in trees.values()
        for module, name in imports_of(tree)
        if name not in offered.get(module, [name])
    }
    assert sorted(missing) == []
