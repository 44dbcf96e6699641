"""Every block of README and docs that claims to work, works."""

import re
from pathlib import Path

import pytest
from doc_pages import REPOSITORY, pages, recipes
from doc_runs import work_through

# Each starts a dozen processes or mypy, to show what the tests of its subject cover as well.
SLOW = {
    "docs/concepts/how-wrappers-are-made.md",
    "docs/guides/getting-started.md",
    "docs/guides/hermetic-replays.md",
    "docs/guides/http.md",
    "docs/guides/mcp.md",
    "docs/guides/testing-with-pytest.md",
    "docs/guides/when-a-replay-fails.md",
    "docs/guides/working-with-cassettes.md",
}
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)(?:#[\w-]*)?\)")


def _name(page: Path) -> str:
    return page.relative_to(REPOSITORY).as_posix()


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=_name(page), marks=[pytest.mark.slow] * (_name(page) in SLOW))
        for page in pages()
    ],
)
def test_every_block_of_the_page_works_in_order(page: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    work_through(page, project)


@pytest.mark.parametrize("page", [*pages(), *recipes()], ids=_name)
def test_every_link_of_the_page_leads_to_a_file(page: Path) -> None:
    links = _LINK.findall(page.read_text(encoding="utf-8"))

    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_slow_page_exists() -> None:
    assert {_name(page) for page in pages()} >= SLOW


def test_every_page_is_in_the_index() -> None:
    index = (REPOSITORY / "docs" / "README.md").read_text(encoding="utf-8")
    docs = REPOSITORY / "docs"
    inner = [page for page in (*pages(), *recipes()) if page.parent.parent == docs]
    names = [page.relative_to(docs).as_posix() for page in inner]

    assert [name for name in names if f"({name})" not in index] == []
