"""What a first run says about Protocols that it does not find, or that say too little."""

import pytest
from mini_project import Project


@pytest.fixture
def project(tmp_path):
    project = Project(tmp_path)
    project.write("pyproject.toml", '[project]\nname = "shop"\n[tool.vcr-gen]\n')
    return project


def test_a_run_that_finds_no_boundary_says_where_it_looked(project):
    project.write("src/shop/ports.py", "class Till: ...\n")
    project.write("src/shop/desk/__init__.py", "")
    mark = "mark a Protocol with @outbound, or run vcr-gen --init\n0 unchanged\n"
    assert project.run().err == f"no boundaries found in 2 Python files below src: {mark}"
    below = "no boundaries found in 1 Python file below src/shop/desk"
    assert project.run("src/shop/desk").err == f"{below}: {mark}"


def test_a_run_that_deletes_all_wrappers_says_where_it_looked(project):
    ports = "from typing import Protocol\nfrom vcr_gen.boundary import outbound\n\n"
    project.write("src/shop/ports.py", f"{ports}@outbound\nclass Till(Protocol): ...\n")
    project.run()
    project.write("src/shop/ports.py", f"{ports}class Till(Protocol): ...\n")
    assert project.run().err == (
        "no boundaries found in 1 Python file below src: "
        "mark a Protocol with @outbound, or run vcr-gen --init\n2 deleted, 0 unchanged\n"
    )


def test_a_protocol_without_annotations_is_noted_once(project):
    project.write(
        "src/shop/ports.py",
        "from typing import Protocol\nfrom vcr_gen.boundary import outbound\n\n"
        "@outbound\nclass Till(Protocol):\n    def pay(self, amount, tip=0): ...\n\n"
        "@outbound\nclass Door(Protocol):\n    def open(self) -> None: ...\n",
    )
    first = project.run()
    assert first.code == 0
    assert first.err.splitlines()[0] == (
        "src/shop/ports.py:5: note: `Till` has no annotations, so values are recorded without "
        "declared types; annotate it to record callbacks and streams"
    )
    assert "note:" not in first.err.partition("\n")[2]
    assert "note:" not in project.run().err


def test_markers_may_be_imported_from_the_package_beside_others(project):
    project.write(
        "src/shop/ports.py",
        "from typing import Protocol\nfrom vcr_gen import outbound\n"
        "from vcr_gen import boundary\n\n"
        "@outbound\nclass Till(Protocol):\n    def pay(self, amount: int) -> None: ...\n\n"
        "@boundary.outbound\nclass Door(Protocol):\n    def open(self) -> None: ...\n",
    )
    listed = project.run("--list").out
    assert "shop.ports:Till" in listed
    assert "shop.ports:Door" in listed
