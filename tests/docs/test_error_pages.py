"""The pages of the generator's errors show what really triggers them, and what really helps."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from doc_pages import blocks, commands
from doc_runs import work, work_through

from vcr_gen.gen.diagnostics import CODES, Diagnostic, RefusedError
from vcr_gen.gen.pipeline.generation import generate
from vcr_gen.gen.settings.config_reader import parse_config

PAGES = Path(__file__).parents[2] / "docs" / "errors"
HEADER = "from typing import Protocol\nfrom vcr_gen.boundary import inbound, outbound, unrecorded\n"
SHAPES = (
    *("VCR101", "VCR103", "VCR104", "VCR105", "VCR106", "VCR107", "VCR108", "VCR110"),
    *("VCR201", "VCR202", "VCR203", "VCR204", "VCR205", "VCR206", "VCR207"),
)
SETTINGS = ("VCR401", "VCR402", "VCR403", "VCR404", "VCR405", "VCR406")
PROJECTS = (
    *("VCR102", "VCR109", "VCR111", "VCR112"),
    *("VCR301", "VCR302", "VCR303", "VCR304", "VCR305"),
    *("VCR310", "VCR314"),
    *("VCR411", "VCR412"),
)
"""What takes more than one file to show, or a command."""
INSTALLS = "VCR410"
NEEDS_A_PACKAGE = "VCR103"

BASE_INSTALL = """
import importlib.util
import sys

HIDDEN = {"black", "jinja2", "libcst", "mypy"}
find_spec = importlib.util.find_spec


class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Refuse())
importlib.util.find_spec = lambda name, *rest: None if name in HIDDEN else find_spec(name, *rest)
"""
"""Python without the packages of the extra `gen`."""


def _said_of_protocols(text: str, folder: Path) -> set[tuple[int, str]]:
    (folder / "ports.py").write_text(HEADER + text, encoding="utf-8")
    made = generate(parse_config("", root=folder, file=None))
    return _places(made.diagnostics, HEADER.count("\n"))


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


# VCR310 comes from mypy, which `tests/cli/test_cli_drift.py` runs too.
@pytest.mark.parametrize(
    "code",
    [pytest.param(code, marks=[pytest.mark.slow] * (code == "VCR310")) for code in PROJECTS],
)
def test_a_page_shows_a_project_with_the_error_and_without(code: str, tmp_path: Path) -> None:
    page = PAGES / f"{code}.md"
    assert _shows_both(page)
    work_through(page, tmp_path)


def test_the_page_of_a_missing_package_shows_an_install_without_it_and_with(tmp_path: Path) -> None:
    page = PAGES / f"{INSTALLS}.md"
    hides = tmp_path / "sitecustomize.py"
    hides.write_text(BASE_INSTALL)
    assert _shows_both(page)
    for block in blocks(page):
        if 'pip install "vcr-gen[gen]"' in block.body:
            hides.unlink()
        work(block, tmp_path, f"{page}:{block.line}")
    assert not hides.exists()


def test_every_code_has_a_page_that_is_tried() -> None:
    assert set(CODES) == {*SHAPES, *SETTINGS, *PROJECTS, INSTALLS}


def _shows_both(page: Path) -> bool:
    """Whether some command fails with the code of the page, and the last one passes."""
    consoles = (block for block in blocks(page) if block.info.split()[:1] == ["console"])
    shown = [command for block in consoles for command in commands(block)]
    reported = [one for one in shown if one.fails and f"{page.stem} " in one.shown]
    return bool(reported) and not shown[-1].fails
