"""The pages of the generator's errors show what really triggers them, and what really helps."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.runs.pipeline import generate
from vcr_gen.gen.settings.config_file import parse_config

PAGES = Path(__file__).parents[2] / "docs" / "errors"
HEADER = "from typing import Protocol\nfrom vcr_gen.boundary import inbound, outbound, unrecorded\n"
SHAPES = (
    *("VCR101", "VCR103", "VCR104", "VCR105", "VCR106", "VCR107", "VCR108", "VCR110"),
    *("VCR201", "VCR202", "VCR203", "VCR204", "VCR205", "VCR206", "VCR207"),
)
SETTINGS = ("VCR402", "VCR403", "VCR404", "VCR405", "VCR406")
NEEDS_A_PACKAGE = "VCR103"


def _said_of_protocols(text: str, folder: Path) -> set[tuple[int, str]]:
    (folder / "ports.py").write_text(HEADER + text, encoding="utf-8")
    found = generate(parse_config("", root=folder, file=None)).diagnostics
    return _places(found, HEADER.count("\n"))


def _said_of_settings(text: str, folder: Path) -> set[tuple[int, str]]:
    (folder / "src").mkdir(exist_ok=True)
    try:
        parse_config(text, root=folder, file=None)
    except RefusedError as error:
        return _places(error.diagnostics, 0)
    return set()


def _places(found: tuple[Diagnostic, ...], before: int) -> set[tuple[int, str]]:
    return {(one.line - before, one.code) for one in found}


@pytest.mark.parametrize(
    ("code", "language", "said"),
    [
        *((code, "python", _said_of_protocols) for code in SHAPES),
        *((code, "toml", _said_of_settings) for code in SETTINGS),
    ],
)
def test_a_page_shows_what_triggers_the_error_and_what_helps(
    code: str,
    language: str,
    said: Callable[[str, Path], set[tuple[int, str]]],
    tmp_path: Path,
) -> None:
    page = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    blocks = re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    wrong = [text for text in blocks if f"# {code}" in text]
    right = [text for text in blocks if f"# {code}" not in text]
    assert wrong, f"there is no example with the comment `# {code}` where it is reported"
    assert right or code == NEEDS_A_PACKAGE, "there is no example of what to write instead"
    for text in wrong:
        lines = enumerate(text.splitlines(), 1)
        marked = {(number, code) for number, line in lines if f"# {code}" in line}
        assert marked == said(text, tmp_path)
    for text in right:
        assert set() == said(text, tmp_path)
