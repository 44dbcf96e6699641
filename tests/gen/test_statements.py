"""Statements that are parsed again equal those of the whole tree, at the same places."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from vcr_gen.gen.sources.conditions import Target
from vcr_gen.gen.sources.modules import Module, read_names
from vcr_gen.gen.sources.syntax import cut_bodies, parse

AWKWARD = '''\
"""ä: columns count bytes."""
import sys, os as o; X = 1; Y = "ü"; Z: int = (
    3
)
from typing import (
    Any,  # why
)
if sys.version_info >= (3, 8): a = b = [
    1,
]; c = "\\d"
else:
\t@decorated
\t@again(1)
\tclass Tabbed:
\t\tdef method(self): return 1
try:
    class Inner:
        """Text
at the margin."""
        if True:
            async def items(self):
                """All of them."""
                yield 1
except ImportError:
    Inner = None
@first
# coding: latin-1
@second
def decorated(x="é"): """Only text."""
class Last: x = 1; y: int = 2
'''
SOURCES = Path(ast.__file__).parent


def texts() -> Iterator[str]:
    yield AWKWARD
    for name in ("ast.py", "typing.py", "asyncio/base_events.py", "json/encoder.py"):
        yield (SOURCES / name).read_text(encoding="utf-8")


def read(text: str, *, keep_tree: bool) -> Module:
    parsed = parse(text.encode())
    path = Path("ports.py")
    return read_names("ports", path, parsed, Target(), standard=False, keep_tree=keep_tree)


@pytest.mark.parametrize("text", list(texts()))
def test_a_statement_parsed_again_is_the_statement_without_bodies(text: str) -> None:
    whole, names = read(text, keep_tree=True), read(text, keep_tree=False)
    assert list(whole.bindings) == list(names.bindings)
    for name, bindings in whole.bindings.items():
        for expected, actual in zip(bindings, names.bindings[name], strict=True):
            cut_bodies(expected.node)
            assert dump(expected.node) == dump(actual.node)


def test_a_module_that_is_only_looked_into_keeps_no_tree() -> None:
    names = read(AWKWARD, keep_tree=False)
    assert names.parsed.tree.body == []
    assert names.exported is None
    assert names.bindings["a"][0].node is names.bindings["b"][0].node


def dump(node: ast.stmt) -> str:
    return ast.dump(node, include_attributes=True)
