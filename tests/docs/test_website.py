"""The site of `make docs`: it is complete, leads nowhere wrong, and asks no other host."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from doc_pages import REPOSITORY

import vcr_gen
from vcr_gen import boundary, errors
from vcr_gen.gen.diagnostics import CODES

pytestmark = pytest.mark.slow

_LOADED = re.compile(
    r"<(?:script|img|iframe|link)\b[^>]*?\b(?:src|href)=[\"']?((?:https?:)?//[^\"'\s>]+)"
)


def _build(repository: Path, site: Path) -> "subprocess.CompletedProcess[str]":
    config = repository / "docs" / "website" / "mkdocs.yml"
    words = ("build", "--strict", "--config-file", str(config), "--site-dir", str(site))
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", *words],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("site")
    done = _build(REPOSITORY, site)
    assert done.returncode == 0, done.stdout
    return site


def test_the_search_finds_guides_error_codes_and_docstrings(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text())
    found = {entry["location"] for entry in index["docs"]}

    assert {"index.html", "guides/http.html", "reference/docstrings.html"} <= found
    assert {f"errors/{code}.html" for code in CODES} <= found
    assert "reference/docstrings.html#vcr_gen.Cassette.close" in found


def test_every_public_name_has_its_docstring_on_the_site(site: Path) -> None:
    page = (site / "reference" / "docstrings.html").read_text()
    modules = (boundary, vcr_gen, errors)
    names = {name: module.__name__ for module in reversed(modules) for name in module.__all__}
    anchors = re.findall(r'id="(vcr_gen[\w.]*)"', page)

    assert sorted(names.keys() - {anchor.rpartition(".")[2] for anchor in anchors}) == []


def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    outside = {found for page in pages for found in _LOADED.findall(page.read_text())}

    assert len(pages) > len(CODES)
    assert outside == set()


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ("[gone](gone.md)", "the target 'reference/gone.md' is not found"),
        ("[gone](modes.md#gone)", "does not contain an anchor '#gone'"),
    ],
)
def test_a_broken_link_fails_the_build(added: str, said: str, tmp_path: Path) -> None:
    copy = tmp_path / "repository"
    copy.mkdir()
    for name in ("docs", "src"):
        shutil.copytree(REPOSITORY / name, copy / name)
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, copy)
    with (copy / "docs/reference/configuration.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{added}\n")

    done = _build(copy, tmp_path / "site")

    assert done.returncode != 0
    assert said in " ".join(done.stdout.split())
