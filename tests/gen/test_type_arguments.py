"""Arguments of generic bases that pyright reads as the typing specification says, and mypy not."""

from pathlib import Path

import pytest
from gen_projects import write

from vcr_gen.gen.runs.generation import generate

SOURCE = """\
from collections.abc import Callable
from typing import Protocol

from vcr_gen.boundary import outbound


class Base[K, *Ts, **P = [bytes]](Protocol):
    def spread(self, *values: *Ts) -> K: ...
    def apply(self, function: Callable[P, K]) -> None: ...


@outbound
class Port(Base[{arguments}], Protocol): ...
"""


@pytest.mark.parametrize(
    ("arguments", "values", "function"),
    [
        ("int, str, float, [str]", "*tuple[str, float]", "Callable[[str], int]"),
        ("int, str, float", "*tuple[str, float]", "Callable[[bytes], int]"),
        ("int, str, float, ...", "*tuple[str, float]", "Callable[..., int]"),
    ],
)
def test_a_parameter_specification_after_a_pack_may_be_left_to_its_default(
    tmp_path: Path, arguments: str, values: str, function: str
) -> None:
    files = {"app/ports.py": SOURCE.format(arguments=arguments)}
    [text] = [
        file.text for file in generate(write(tmp_path, files)).files if file.module == "app.ports"
    ]
    assert f"def spread(self, *values: {values}) -> int:" in text
    assert f"def apply(self, function: {function}) -> None:" in text
