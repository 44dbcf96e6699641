"""`--vcrgen-report`: a page for each replay that failed."""

import json
import re
from pathlib import Path
from typing import Any

from plugin_project import PluginProject, generate

pytest_plugins = ["pytester"]

TESTS = """
    import os

    import pytest
    from app.logic import ask

    WORD = os.environ.get("WORD", "a")

    def test_fine(shell):
        ask(shell, "always")

    @pytest.mark.parametrize("name", ["<b>/../x", "y" * 200])
    def test_diverging(shell, name):
        ask(shell, WORD)

    def test_unused(shell):
        ask(shell, "first")
        if WORD == "a":
            ask(shell, "second")
"""


def failure_of(page: Path) -> dict[str, Any]:
    text = page.read_text(encoding="utf-8")
    (summary,) = re.findall(r'<script type="application/json" id="report">(.*?)</script>', text)
    return json.loads(summary)["failure"]


def test_each_failed_replay_leaves_a_page_and_its_path_is_told(project: PluginProject) -> None:
    project.write("test_it.py", TESTS)
    project.record()
    output = project.run("--vcrgen-report=out", WORD="b")
    pages = sorted((project.root / "out").rglob("*"))
    pages = [page for page in pages if page.is_file()]
    assert len(pages) == 3
    summary = output[output.index("reports of failed replays:") :]
    for page in pages:
        shown = page.relative_to(project.root).as_posix()
        assert f"  {shown}\n" in summary
    first = failure_of(next(page for page in pages if "x]" in page.name))
    assert str(first["headline"]).startswith("Shell.run was called with different arguments")
    assert first["test"] == "test_it.py::test_diverging[<b>/../x]"
    assert first["event"] == 1
    assert first["differences"] == [
        {"field": "command", "reason": "value differs", "expected": '"a"', "came": '"b"'}
    ]
    unused = failure_of(next(page for page in pages if "unused" in page.name))
    assert unused["headline"] == "1 recorded event was not used"
    assert unused["unused"] == [2]
    assert unused["test"] == "test_it.py::test_unused"
    again = project.run("--vcrgen-report=out", WORD="b")
    assert "not written" not in again


def test_it_works_in_several_processes(project: PluginProject) -> None:
    project.write("test_it.py", TESTS)
    project.record()
    output = project.in_processes().run(
        "--vcrgen-report=deep/out", "-n2", plugins=("xdist",), WORD="b"
    )
    pages = list((project.root / "deep" / "out").rglob("*.html"))
    assert len(pages) == 3
    summary = output[output.index("reports of failed replays:") :]
    assert summary.count("  deep/out/") == 3


def test_pages_are_not_imported_before_a_replay_fails(project: PluginProject) -> None:
    project.write(
        "test_it.py",
        """
        import sys

        def test_fine(shell):
            shell.run("always")
            assert not [name for name in sys.modules if name.startswith("vcr_gen.html_report")]
        """,
    )
    project = project.in_processes()
    project.record()
    assert "exit 0" in project.run("--vcrgen-report=out")


def test_nothing_is_written_when_all_is_fine_or_nobody_asks(project: PluginProject) -> None:
    project.write("test_it.py", TESTS)
    project.record()
    assert "exit 0" in project.run("--vcrgen-report=out")
    before = {path for path in project.root.rglob("*") if path.suffix == ".html"}
    output = project.run(WORD="b")
    assert "report" not in output.replace("reported", "")
    assert before == {path for path in project.root.rglob("*") if path.suffix == ".html"} == set()


def test_a_file_that_is_no_report_stays_and_the_summary_says_so(project: PluginProject) -> None:
    project.write("test_it.py", TESTS)
    project.record()
    project.write("out/cassettes/test_it/test_unused.yaml.html", "mine")
    output = project.run("--vcrgen-report=out", "-k", "unused", WORD="b")
    target = project.root / "out/cassettes/test_it/test_unused.yaml.html"
    assert target.read_text() == "mine"
    assert "not a report of vcr-gen, so it is not replaced" in output
    assert "exit 1" in output


def test_no_secret_is_on_the_page(project: PluginProject) -> None:
    project.write(
        "app/ports.py",
        """
        from typing import Annotated, Protocol

        from vcr_gen.boundary import Secret, outbound


        @outbound
        class Shell(Protocol):
            def login(self, user: str, password: Annotated[str, Secret]) -> str: ...
        """,
    )
    project.write(
        "app/real.py",
        """
        class RealShell:
            def login(self, user: str, password: str) -> str:
                return "welcome"
        """,
    )
    project.write(
        "test_it.py",
        """
        import os

        def test_login(shell):
            shell.login(os.environ.get("USER_NAME", "ada"), os.environ["PHRASE"])
        """,
    )
    generate(project.root)
    project.run("--vcrgen-mode=all", PHRASE="hunter-1")
    output = project.run("--vcrgen-report=out", USER_NAME="bob", PHRASE="hunter-2")
    (page,) = (project.root / "out").rglob("*.html")
    (difference,) = failure_of(page)["differences"]
    assert difference["field"] == "user"
    assert "hunter" not in page.read_text(encoding="utf-8") + output
