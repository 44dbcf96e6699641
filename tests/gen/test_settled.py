"""Text that is called settled is never given to black: black must have nothing to do in it."""

from dataclasses import replace
from pathlib import Path

import black
import pytest
from gen_projects import CASES, project, write

from vcr_gen.gen.pipeline.generation import generate
from vcr_gen.gen.rendering.formatting import is_settled
from vcr_gen.gen.settings.config import Config

PORTS = '''
from typing import Literal, Protocol
from vcr_gen.boundary import outbound

@outbound
class Awkward(Protocol):
    def blank(self) -> None:
        """   """
    def spaces(self) -> None:
        """
             Begins far to the right,

               and goes on further.
            Ends further to the left.   """
    def quoted(self) -> None:
        """"Quotes" at both "ends\\""""
    def quoted_lines(self) -> None:
        """"Quotes"
        on two "lines\\"
        """
    def slashes(self) -> None:
        r"""Ends with a backslash \\ """
    def slash_lines(self) -> None:
        r"""Ends with
        a backslash \\
        """
    def tabs(self) -> None:
        """One\\ttab,
        \\ttwo tabs\\u3000
        \\u3000and wide spaces, \\x0c a form feed."""
    def triple(self) -> None:
        """Shows \\"\\"\\"triple\\"\\"\\" quotes.

        \\"\\"\\"
        """
    def long(self) -> None:
        """LONG"""
    def long_lines(self) -> None:
        """Short.

        LONG"""
    def wide(self) -> None:
        """日本語の説明。"""
    def defaults(self, a: str = '"""', b: str = "it's", c: bytes = b'"', d: str = "a\\nb"
    ) -> Literal['"""', "'"]: ...
    def numbers(self, a: float = 1e10, b: int = 0xFF, c: complex = 1J, d: tuple[int, ...] = (1,)
    ) -> None: ...
'''.replace("LONG", "a 'word' " * 40)
"""Docstrings and defaults that black has an opinion about."""

NOT_ASCII = """
from typing import Protocol
from vcr_gen.boundary import outbound

@outbound
class Wide(Protocol):
    def greet(self, name: str = "日本語") -> str: ...
"""


def settled_texts(config: Config) -> dict[Path, str]:
    """The generated texts that need no formatter."""
    generation = generate(config)
    assert generation.diagnostics == ()
    return {file.path: file.text for file in generation.files if file.settled}


def changed_by_black(texts: dict[Path, str], line_length: int) -> list[Path]:
    """The texts that black would lay out differently."""
    mode = black.Mode(line_length=line_length, target_versions={black.TargetVersion.PY313})
    return [path for path, text in texts.items() if black.format_str(text, mode=mode) != text]


@pytest.mark.parametrize("line_length", [79, 120])
def test_black_leaves_settled_wrappers_of_all_cases_alone(line_length: int, tmp_path: Path) -> None:
    config = replace(project(CASES, output=tmp_path), line_length=line_length)
    texts = settled_texts(config)
    assert len(texts) > 110
    assert changed_by_black(texts, line_length) == []


@pytest.mark.parametrize("line_length", [60, 88, 100, 200])
def test_black_leaves_settled_wrappers_of_awkward_texts_alone(
    line_length: int, tmp_path: Path
) -> None:
    config = replace(write(tmp_path, {"app/ports.py": PORTS}), line_length=line_length)
    texts = settled_texts(config)
    assert (tmp_path / "generated/vcr_app/ports.py" in texts) is (line_length > 80)
    assert changed_by_black(texts, line_length) == []


def test_black_lays_out_lines_whose_width_only_black_knows(tmp_path: Path) -> None:
    config = write(tmp_path, {"app/ports.py": NOT_ASCII})
    assert tmp_path / "generated/vcr_app/ports.py" not in settled_texts(config)


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("x = 1\n", True),
        ("x = 1234567\n", False),
        ('"""A long docstring."""\n', True),
        ('"""A long\nlong docstring.\n"""\n', True),
        ('"""A docstring."""\nx = 1234567\n', False),
        ('"""\nA docstring.\n"""\nx = 1234567\n', False),
        ('"""é"""\nx = 1\n', True),
        ('x = "é"\n', False),
    ],
)
def test_only_lines_outside_of_docstrings_count(text: str, settled: bool) -> None:
    assert is_settled(text, 10) is settled
