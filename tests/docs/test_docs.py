"""Every block of README and docs that claims to work, works."""

import re
from pathlib import Path

import pytest
from doc_pages import REPOSITORY, pages
from doc_runs import work_through

_LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)(?:#[\w-]*)?\)")


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(REPOSITORY).as_posix())
def test_every_block_of_the_page_works_in_order(page: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    work_through(page, project)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(REPOSITORY).as_posix())
def test_every_link_of_the_page_leads_to_a_file(page: Path) -> None:
    links = _LINK.findall(page.read_text(encoding="utf-8"))

    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_page_is_in_the_index() -> None:
    index = (REPOSITORY / "docs" / "README.md").read_text(encoding="utf-8")
    docs = REPOSITORY / "docs"
    names = [page.relative_to(docs).as_posix() for page in pages() if page.parent.parent == docs]

    assert [name for name in names if f"({name})" not in index] == []
