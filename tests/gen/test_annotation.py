"""The tree of an annotation: resolved from source, printed, walked and changed."""

import ast
from pathlib import Path

import pytest

from vcr_gen.gen.model.annotation import (
    ANY,
    Annotation,
    Name,
    full_names,
    has_self_argument,
    replace_self,
    walk_with_owners,
    without_quotes,
)
from vcr_gen.gen.model.annotation_text import to_text
from vcr_gen.gen.sources.loader import SourceLoader
from vcr_gen.gen.types.resolve import resolve_names
from vcr_gen.gen.types.scope import Scope

SOURCE = """\
import os.path
from collections.abc import Callable
from typing import Annotated, Literal, Self
"""


@pytest.fixture
def scope(tmp_path: Path) -> Scope:
    path = tmp_path / "ports.py"
    path.write_text(SOURCE, encoding="utf-8")
    loader = SourceLoader((tmp_path,))
    return Scope(loader, loader.module_at(path, "ports"))


def resolved(text: str, scope: Scope) -> Annotation:
    return resolve_names(ast.parse(text, mode="eval").body, scope)


def printed(annotation: Annotation, *, in_string: bool = False) -> str:
    return to_text(
        annotation, lambda name: name.source, lambda quoted: quoted.original, in_string=in_string
    )


@pytest.mark.parametrize(
    "text",
    [
        "int | None",
        "Callable[[int, *tuple[str, ...]], None]",
        "dict[str, 'int']",
        "tuple[int,]",
        "tuple[()]",
        "Literal['a', b'b', -1, True]",
        "Annotated[int, max(1, key=lambda x: x + len('a'))]",
        "os.PathLike[str]",
    ],
)
def test_an_annotation_is_printed_as_black_writes_it(text: str, scope: Scope) -> None:
    assert printed(resolved(text, scope)) == text.replace("'", '"')
    assert printed(resolved(text, scope), in_string=True) == text


def test_names_are_walked_with_the_types_around_them(scope: Scope) -> None:
    annotation = resolved("Callable[[int], 'list[str]']", scope)
    around = {
        node.source: owners
        for node, owners in walk_with_owners(annotation)
        if isinstance(node, Name)
    }
    assert around == {
        "Callable": (),
        "int": ("typing.Callable", ""),
        "list": ("typing.Callable",),
        "str": ("typing.Callable", "builtins.list"),
    }


def test_self_is_replaced_in_strings_too(scope: Scope) -> None:
    annotation = resolved("dict[str, 'Self | None']", scope)
    assert has_self_argument(annotation)
    replaced = without_quotes(replace_self(annotation, None, ANY))
    assert printed(replaced) == "dict[str, Any | None]"
    assert "typing.Self" not in full_names(replaced)


def test_an_unknown_name_is_kept_and_reported(scope: Scope) -> None:
    assert printed(resolved("list[Nowhere.inner]", scope)) == "list[Nowhere.inner]"
    assert [node.id for _, node in scope.unresolved] == ["Nowhere"]
