"""The pages for contributors name files and folders that exist."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
SOURCE = REPOSITORY / "src" / "vcr_gen"
ROOTS = (REPOSITORY, SOURCE, SOURCE / "runtime", SOURCE / "gen")
PAGES = ("CONTRIBUTING.md", "docs/concepts/architecture.md")


def named_paths(page: str) -> list[str]:
    """The words in backticks that look like files or folders of ours; `VCRnnn` is a pattern."""
    text = re.sub(r"```.*?```", "", (REPOSITORY / page).read_text(), flags=re.DOTALL)
    words = re.findall(r"`([\w./*-]+)`", text)
    looks = re.compile(r".*\.(py|md|jinja)|[\w.-]+(/[\w.*-]+)+")
    return [word for word in words if looks.fullmatch(word) and "nnn" not in word]


def exists(path: str) -> bool:
    if any(next(root.glob(path), None) for root in ROOTS):
        return True
    # A file beside a folder that is named before it: `gen/sources` … `files.py`.
    folders = (REPOSITORY / "src", REPOSITORY / "tests")
    return "/" not in path and any(next(folder.rglob(path), None) for folder in folders)


@pytest.mark.parametrize("page", PAGES)
def test_every_path_on_the_page_exists(page: str) -> None:
    paths = named_paths(page)
    assert len(paths) > 10
    missing = [path for path in paths if not exists(path)]
    assert not missing
