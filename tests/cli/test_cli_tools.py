import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from mini_project import Project

from vcr_gen.gen.diagnostics import CODES, explain
from vcr_gen.gen.resources import error_pages_dir


def test_every_code_has_a_page_with_its_title_and_every_page_a_code() -> None:
    assert {path.stem for path in error_pages_dir().glob("*.md")} == set(CODES)
    for code, title in CODES.items():
        assert explain(code).splitlines()[0] == f"# {code}: {title}"


def test_every_code_in_the_source_is_in_the_table() -> None:
    package = Path(__file__).parents[2] / "src" / "vcr_gen"
    used = {
        code
        for path in package.rglob("*.py")
        for code in re.findall(r"\bVCR[1-4]\d\d\b", path.read_text(encoding="utf-8"))
    }
    assert used - set(CODES) == set()


def test_explain_prints_the_page_and_knows_what_was_meant(project: Project) -> None:
    run = project.run("--explain", "vcr301")
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith("# VCR301: ")
    run = project.run("--explain", "VCR301x")
    assert run.code == 2
    assert "did you mean VCR301?" in run.err


def test_list_shows_every_boundary_with_its_place(project: Project) -> None:
    run = project.run("--list")
    assert run.code == 0
    assert [line.split() for line in run.out.splitlines()] == [
        [
            *("outbound", "StepRunner", "app.ports:StepRunner"),
            *("vcr_app.ports:VcrStepRunner", "src/app/ports.py:15"),
        ],
        [
            *("inbound", "server", "app.ports:ScriptServer"),
            *("vcr_app.ports:VcrScriptServer", "src/app/ports.py:27"),
        ],
    ]
    document = json.loads(project.run("--list", "--output-format", "json").out)
    assert [one["name"] for one in document["boundaries"]] == ["StepRunner", "server"]
    assert not (project.root / "generated").exists()


def test_init_sets_an_empty_folder_up_so_that_the_next_run_works(tmp_path: Path) -> None:
    project = Project(tmp_path)
    run = project.run("--init")
    assert run.code == 0
    assert [line.partition(":")[0] for line in run.out.splitlines()] == [
        "wrote pyproject.toml",
        "wrote ports.py",
        "wrote .gitattributes",
    ]
    assert project.run().code == 0
    assert "class VcrClock" in project.read("generated/vcr_ports/_package.py")
    again = project.run("--init")
    assert [line.split()[0] for line in again.out.splitlines()] == ["kept", "kept", "kept"]


def test_init_keeps_everything_that_is_there(tmp_path: Path) -> None:
    project = Project(tmp_path)
    before = '[project]\nname = "x" # mine\n'
    project.write("pyproject.toml", before)
    project.write(".gitattributes", "*.png binary")
    project.write("src/app/__init__.py", "")
    project.write("src/app/ports.py", "mine = 1\n")
    project.run("--init")
    assert project.read("pyproject.toml") == (
        before + '\n[tool.vcr-gen]\nsources = ["src"]\noutput = "generated"\n'
    )
    assert project.read(".gitattributes") == (
        "*.png binary\ngenerated/** linguist-generated=true text eol=lf\n"
    )
    assert project.read("src/app/ports.py") == "mine = 1\n"


def test_init_adds_to_files_as_they_are(tmp_path: Path) -> None:
    project = Project(tmp_path)
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/settings.toml").write_bytes(b'[project]\r\nname = "x"')
    (tmp_path / "pyproject.toml").symlink_to("shared/settings.toml")
    project.write("app/__init__.py", "")
    project.write("app/ports/__init__.py", "")
    run = project.run("--init")
    assert run.code == 0
    assert "added to pyproject.toml: [tool.vcr-gen]\n" in run.out
    assert (tmp_path / "pyproject.toml").is_symlink()
    assert project.read("pyproject.toml") == (
        '[project]\r\nname = "x"\r\n\r\n[tool.vcr-gen]\r\nsources = ["."]\r\n'
        'output = "generated"\r\n'
    )
    assert "class Clock(Protocol)" in project.read("app/boundaries.py")  # not hidden
    assert project.run().code == 0


@pytest.mark.parametrize(
    ("settings", "folder"),
    [
        ("# [tool.vcr-gen] some day\n", "generated"),
        ("[tool]\nvcr-gen = {output = 'made/here/'}\n", "made/here"),
        ("tool.vcr-gen.output = 'made'\n", "made"),
        ("[tool.vcr-gen]\noutput = 'a b'\n", "a b"),
    ],
)
def test_init_reads_the_settings_that_are_there(tmp_path: Path, settings: str, folder: str) -> None:
    project = Project(tmp_path)
    project.write("pyproject.toml", settings)
    assert project.run("--init").code == 0
    pattern = f'"{folder}/**"' if " " in folder else f"{folder}/**"
    assert project.read(".gitattributes").startswith(f"{pattern} ")
    shown = tomllib.loads(project.run("--show-config").out)
    assert shown["tool"]["vcr-gen"]["output"] == folder


def test_init_writes_the_first_protocol_where_the_next_run_looks_for_it(empty: Project) -> None:
    empty.write("pyproject.toml", '[tool.vcr-gen]\nsources = ["../libs"]\noutput = "."\n')
    empty.write("../libs/app/__init__.py", "")
    empty.write("other/ports.py", "from vcr_gen.boundary import outbound\n")
    run = empty.run("--init")
    assert (run.code, run.out.splitlines()[1].partition(":")[0]) == (
        0,
        "wrote ../libs/app/ports.py",
    )
    assert empty.read(".gitattributes").startswith("vcr_*/** ")
    assert empty.run().code == 0
    assert "class VcrClock" in empty.read("vcr_app/ports.py")
    again = empty.run("--init")
    assert [line.split()[0] for line in again.out.splitlines()] == ["kept", "kept", "kept"]


def test_init_needs_no_protocol_where_a_rule_names_one_nor_marks_what_lies_outside(
    empty: Project,
) -> None:
    rule = '[[tool.vcr-gen.boundary]]\nprotocol = "app.api:Api"\ndirection = "outbound"\n'
    empty.write("pyproject.toml", f'[tool.vcr-gen]\noutput = "../made"\n{rule}')
    run = empty.run("--init")
    assert [line.partition(":")[0] for line in run.out.splitlines()] == [
        "kept pyproject.toml",
        "kept pyproject.toml",
        "kept .gitattributes",
    ]
    assert [path.name for path in empty.root.iterdir()] == ["pyproject.toml"]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pyproject.toml", b"tool = 3\n"),
        ("pyproject.toml", b"tool.vcr-gen = 3\n"),
        ("pyproject.toml", b"tool.vcr-gen.output = 3\n"),
        ("pyproject.toml", b"[tool.vcr_gen]\n"),
        ("pyproject.toml", b"[project\n"),
        ("pyproject.toml", b"tool = {}\n"),
        ("pyproject.toml", b"# \xff\n"),
        (".gitattributes", b"# \xff\n"),
    ],
)
def test_init_writes_nothing_when_a_file_cannot_be_added_to(
    tmp_path: Path, file: str, text: bytes
) -> None:
    (tmp_path / file).write_bytes(text)
    run = Project(tmp_path).run("--init")
    assert run.code == 2
    assert re.match(rf"{re.escape(file)}(:1:\d+)?: VCR", run.err)
    assert "internal error" not in run.err
    assert [path.name for path in tmp_path.iterdir()] == [file]
    assert (tmp_path / file).read_bytes() == text


def test_watch_follows_the_configuration(project: Project) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "vcr_gen", "--watch", "-q"],
        cwd=project.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        _wait_until((project.root / "generated/vcr_app/ports.py").exists)
        project.write("lib/tools/ports.py", project.read("src/app/ports.py"))
        project.replace("pyproject.toml", "[tool.vcr-gen]", "[tool.vcr-gen]\nsources = 3")
        time.sleep(1)
        project.replace("pyproject.toml", "sources = 3", 'sources = ["src", "lib"]')
        wrapper = project.root / "generated/vcr_tools/ports.py"
        _wait_until(wrapper.exists)
        project.replace("lib/tools/ports.py", 'arguments: str = ""', 'arguments: str = "-v"')
        _wait_until(lambda: '"-v"' in wrapper.read_text())
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    finally:
        process.kill()
        _, told = process.communicate()
    assert b"VCR403" in told


def test_watch_generates_again_after_a_change_and_survives_a_mistake(project: Project) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "vcr_gen", "--watch"],
        cwd=project.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        text=True,
    )
    wrapper = project.root / "generated/vcr_app/ports.py"
    try:
        _wait_until(wrapper.exists)
        project.write("src/app/broken.py", "from typing import Protocol\nclass (:\n")
        time.sleep(1.5)
        (project.root / "src/app/broken.py").unlink()
        project.replace("src/app/ports.py", 'arguments: str = ""', 'arguments: str = "-v"')
        _wait_until(lambda: '"-v"' in wrapper.read_text())
    finally:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "src/app/broken.py:2:" in err
    assert "Traceback" not in err


def _wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            pytest.fail("it did not happen in time")
        time.sleep(0.1)
