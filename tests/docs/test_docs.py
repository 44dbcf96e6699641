"""Every block of README and docs that claims to work, works."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from doc_pages import REPOSITORY, Block, blocks, commands, pages

_LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)(?:#[\w-]*)?\)")


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(REPOSITORY).as_posix())
def test_every_block_of_the_page_works_in_order(page: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for block in blocks(page):
        _work(block, project, f"{page}:{block.line}")


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(REPOSITORY).as_posix())
def test_every_link_of_the_page_leads_to_a_file(page: Path) -> None:
    links = _LINK.findall(page.read_text(encoding="utf-8"))

    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_page_is_in_the_index() -> None:
    index = (REPOSITORY / "docs" / "README.md").read_text(encoding="utf-8")
    docs = REPOSITORY / "docs"
    names = [page.relative_to(docs).as_posix() for page in pages() if page.parent.parent == docs]

    assert [name for name in names if f"({name})" not in index] == []


def _work(block: Block, project: Path, place: str) -> None:
    if block.is_excerpt:
        assert block.missing_pieces() == [], f"{place}: not in {block.path}"
    elif block.path is not None and block.info == "diff":
        file = project / block.path
        file.write_text(block.changed(file.read_text(encoding="utf-8")), encoding="utf-8")
    elif block.path is not None:
        file = project / block.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block.content, encoding="utf-8")
    elif block.info.split()[:1] == ["python"]:
        done = _run([sys.executable, "-c", block.body], project)
        assert done.returncode == 0, f"{place}:\n{done.stdout}"
    elif block.info.split()[:1] == ["console"]:
        _run_commands(block, project, place)


def _run_commands(block: Block, project: Path, place: str) -> None:
    for command in commands(block):
        if not command.is_run:
            continue
        words = shlex.split(command.line)
        environment = {}
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            environment[name] = value
        done = _run([*_program(words[0]), *words[1:]], project, **environment)
        report = f"{place}: $ {command.line}\nexit code {done.returncode}\n{done.stdout}"
        assert (done.returncode != 0) is command.fails, report
        assert command.is_shown_in(done.stdout), f"{report}\nthe page shows:\n{command.shown}"


def _program(name: str) -> list[str]:
    """How a program of the docs is run here; a page may use no other."""
    modules = {"vcr-gen": "vcr_gen", "pytest": "pytest", "mypy": "mypy"}
    return [sys.executable, *(("-m", modules[name]) if name != "python" else ())]


def _run(
    arguments: list[str], project: Path, **environment: str
) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in os.environ.items() if name not in ("VCR_RECORD", "CI")}
    settings = {
        "PYTHONPATH": os.pathsep.join(("src", "generated", "tests", ".")),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_ADDOPTS": "-p no:cacheprovider -p no:asyncio -p no:xdist",
        "COLUMNS": "80",
    }
    return subprocess.run(
        arguments,
        cwd=project,
        env={**kept, **settings, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
