"""One module knows each third-party tool, and two modules of the runtime write files."""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

import vcr_gen

RUNTIME = Path(vcr_gen.__file__).parent / "runtime"
WRITERS = {
    "write_bytes",
    "write_text",
    "mkdir",
    "unlink",
    "rename",
    "replace",
    "fsync",
    "ftruncate",
}
AMBIGUOUS = {"rename", "replace"}
"""Texts and cassettes have methods of these names, too: only those of `os` count."""


def modules_with(found: Callable[[ast.AST], bool]) -> set[str]:
    return {
        path.relative_to(RUNTIME).as_posix()
        for path in RUNTIME.rglob("*.py")
        if any(found(node) for node in ast.walk(ast.parse(path.read_text("utf-8"))))
    }


@pytest.mark.parametrize(
    ("package", "module"),
    [("yaml", "formats/yaml_read.py"), ("orjson", "formats/jsonl_format.py")],
)
def test_one_module_imports(package, module):
    def imports(node: ast.AST) -> bool:
        if isinstance(node, ast.Import):
            return any(alias.name.partition(".")[0] == package for alias in node.names)
        return isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == package

    assert modules_with(imports) == {module}


def test_cassettes_and_their_large_data_are_all_that_is_written():
    def writes(node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Attribute)
            and node.attr in WRITERS
            and (node.attr not in AMBIGUOUS or _is_os(node.value))
        )

    assert modules_with(writes) == {"tape/blobs.py", "tape/recording.py"}


def _is_os(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "os"
