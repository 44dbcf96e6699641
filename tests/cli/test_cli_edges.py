"""The corners of the command line: odd places, odd files, odd streams; never a traceback."""

import errno
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mini_project import PORTS, Project

from vcr_gen.gen.diagnostics import RefusedError
from vcr_gen.gen.output.write import write_file
from vcr_gen.gen.settings.config_reader import load_config
from vcr_gen.gen.sources.files import read_sources

COMMAND = f"{sys.executable} -m vcr_gen"


def _shell(project: Project, line: str) -> tuple[int, str]:
    done = subprocess.run(
        ["sh", "-c", line], cwd=project.root, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("{} --list > /dev/full", 2, "vcr-gen: No space left on device"),
        ("{} --list | head -c 1 > /dev/null; {} --help | head -c 1", 0, "u"),
        ("{} cassette shwo", 2, "invalid choice: 'shwo'"),
    ],
)
def test_streams_that_end_early_and_typos_are_no_internal_errors(
    project: Project, line: str, code: int, said: str
) -> None:
    found, output = _shell(project, line.replace("{}", COMMAND))
    assert (found, said in output) == (code, True), output
    assert "internal error" not in output
    assert "Traceback" not in output


@pytest.mark.usefixtures("warm_mypy")
@pytest.mark.parametrize(
    ("line", "code"), [("--check", 1), ("--diff", 1), ("verify", 1), ("--list", 0), ("", 0)]
)
@pytest.mark.parametrize("also", [None, subprocess.STDOUT])
def test_a_result_stands_also_where_nobody_reads_it(
    project: Project, line: str, code: int, also: int | None
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND.split(), *line.split()],
        cwd=project.root,
        stdout=writing,
        stderr=also or subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, b"Error" in (done.stderr or b"")) == (code, False)


INTERRUPTED = """
import sys


class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            raise KeyboardInterrupt


sys.meta_path.insert(0, Interrupting())
from vcr_gen.cli import main

sys.exit(main(["--list"]))
"""


@pytest.mark.parametrize(
    "module", ["vcr_gen.cli.commands", "argparse", "jinja2", "vcr_gen.gen.wrappers.context"]
)
def test_an_interrupt_while_modules_are_imported_ends_quietly(
    project: Project, module: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(module=module)],
        cwd=project.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_a_path_that_the_system_refuses_is_told_in_the_chosen_format(project: Project) -> None:
    for arguments in ((), ("--check",), ("verify", "--no-mypy")):
        run = project.run(*arguments, "--set", f"output={'x' * 5000}", "--output-format", "json")
        (problem,) = json.loads(run.out)["diagnostics"]
        assert (run.code, problem["code"]) == (2, "VCR303")
        assert problem["message"] == "cannot be used: File name too long"


def test_source_that_is_nested_too_deeply_is_refused(project: Project) -> None:
    deep = f"{'[' * 3000}{']' * 3000}"
    project.write("src/app/deep.py", f"{PORTS}\nDEEP = {deep}\n")
    run = project.run()
    assert run.code == 2
    assert run.err.startswith("src/app/deep.py:30:")
    assert "VCR101 the file is not valid Python: too many nested parentheses" in run.err


def test_what_is_too_deep_to_be_followed_is_refused_with_its_place(project: Project) -> None:
    chain = "".join(f"class C{n + 1}(C{n}, Protocol): ...\n" for n in range(1500))
    project.replace(
        "src/app/ports.py", "class StepRunner(Protocol)", "class StepRunner(C1500, Protocol)"
    )
    project.replace("src/app/ports.py", "@outbound", f"class C0(Protocol): ...\n{chain}@outbound")
    run = project.run()
    assert run.code == 2
    assert run.err.startswith(
        "src/app/ports.py: VCR101 the bases or the types of a Protocol are nested too deeply"
    )
    project.write("pyproject.toml", f"[tool.vcr-gen]\nx = {'[' * 5000}{']' * 5000}\n")
    for arguments in ((), ("--init",)):
        run = project.run(*arguments)
        assert (run.code, run.err.partition(": VCR401")[0]) == (2, "pyproject.toml")


def test_extract_names_the_mistake_in_a_module_that_cannot_be_read(project: Project) -> None:
    project.write("src/app/broken.py", "class A:\n    def f(self: ...\n")
    run = project.run("extract", "app.broken:A")
    assert run.code == 2
    assert run.err.startswith("src/app/broken.py:2:")
    assert "VCR101 the file is not valid Python" in run.err


def test_extract_reads_a_class_on_one_line(project: Project) -> None:
    project.write("src/app/point.py", "class Point: x: int; y: str = ''\n")
    run = project.run("extract", "app.point:Point")
    assert (run.code, run.err) == (0, "")
    assert run.out.endswith("class Point(Protocol):\n    x: int\n    y: str\n")


def test_extract_writes_half_a_character_as_its_escape(project: Project) -> None:
    source = 'class A:\n    def f(self, x: str = "\\ud800", y: str = "A") -> "A": ...\n'
    project.write("src/app/half.py", source)
    run = project.run("extract", "app.half:A")
    assert (run.code, run.err) == (0, "")
    assert 'def f(self, x: str = "\\ud800", y: str = "A") -> "A": ...' in run.out


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ('output = "src/app"', "VCR403 `output` is a package of the project"),
        ('output = "src\\\\gen"', "VCR403 `output` must be a path with /"),
        ('sources = ["src\\\\app"]', "VCR403 `sources` must be a path with /"),
        ('cache-dir = "a\\\\b"', "VCR403 `cache-dir` must be a path with /"),
    ],
)
def test_folders_that_cannot_be_meant_are_refused(
    project: Project, setting: str, message: str
) -> None:
    project.write("pyproject.toml", f"[tool.vcr-gen]\n{setting}\n")
    run = project.run()
    assert run.code == 2
    assert run.err.startswith(f"pyproject.toml:2:1: {message}")
    assert run.err.endswith("1 problem; nothing was written\n")


def test_a_template_may_include_others(project: Project) -> None:
    project.write("pyproject.toml", '[tool.vcr-gen]\ntemplate-dir = "mine"\n')
    project.write("mine/licence_text.j2", "# Ours.\n")
    mark = "# Code generated by vcr-gen. DO NOT EDIT.\n"
    project.write("mine/package.py.jinja", f'{mark}{{% include "licence_text.j2" %}}\n')
    assert project.run().code == 0
    assert "# Ours." in project.read("generated/vcr_app/__init__.py")


def test_what_a_killed_run_left_is_removed_by_the_next(project: Project) -> None:
    project.run()
    folders = ("generated/vcr_app", ".vcr-gen-cache")
    old = [project.write(f"{one}/.vcr-gen-{'0' * 16}.tmp", "x") for one in folders]
    young = project.write(f"generated/vcr_app/.vcr-gen-{'1' * 16}.tmp", "x")
    other = project.write("generated/vcr_app/mine.tmp", "x")
    for path in (*old, other):
        os.utime(path, (time.time() - 3600,) * 2)
    assert project.run("--check").code == 0
    assert all(path.exists() for path in old)
    assert project.run().code == 0
    assert [path.exists() for path in (*old, young, other)] == [False, False, True, True]


def _neighbour(root: Path, name: str, output: str) -> Project:
    neighbour = Project(root)
    neighbour.write("pyproject.toml", f'[tool.vcr-gen]\noutput = "{output}"\n')
    neighbour.write(f"src/{name}/ports.py", PORTS)
    return neighbour


def test_projects_that_share_an_output_folder_leave_each_other_alone(tmp_path: Path) -> None:
    one = _neighbour(tmp_path / "one", "one", "../generated")
    two = _neighbour(tmp_path / "two", "two", "../generated")
    for project in (one, two, one, two):
        assert project.run().code == 0
    for project in (one, two):
        run = project.run("--check", "--no-cache")
        assert (run.code, run.err) == (0, "2 unchanged\n")
        assert project.run("verify", "--no-mypy").code == 0
    one.write("src/one/more.py", PORTS.replace("StepRunner", "More").replace("server", "more"))
    assert one.run("-q").code == 0
    (one.root / "src/one/more.py").unlink()
    assert one.run("--check").out == (
        f"changed {tmp_path}/generated/vcr_one/__init__.py\n"
        f"stale {tmp_path}/generated/vcr_one/more.py\n"
    )


def test_two_configurations_of_one_folder_leave_each_other_alone(project: Project) -> None:
    project.write("lib/tools/ports.py", PORTS)
    project.write("other.toml", '[tool.vcr-gen]\nsources = ["lib"]\n')
    for arguments in ((), ("--config", "other.toml"), (), ("--config", "other.toml")):
        assert project.run(*arguments).code == 0
        assert project.run(*arguments, "--check").err == "2 unchanged\n"
    assert len(project.files()) == 4
    (project.root / "src/app/ports.py").unlink()
    assert project.run("-q").code == 0
    assert [path.split("/")[1] for path in project.files()] == ["vcr_tools"] * 2


def test_a_cache_folder_that_cannot_even_be_looked_at_is_no_error(project: Project) -> None:
    setting = ("--set", f"cache-dir={'x' * 300}")
    assert project.run(*setting).code == 0
    assert project.run("--check", *setting).code == 0


@pytest.mark.usefixtures("warm_mypy")
def test_verify_bears_a_file_for_others_that_is_not_toml(project: Project) -> None:
    (project.root / "pyproject.toml").rename(project.root / "ours.toml")
    project.write("pyproject.toml", "x = [\n")
    assert project.run("--config", "ours.toml").code == 0
    run = project.run("verify", "--config", "ours.toml")
    assert (run.code, run.err) == (0, "2 boundaries in 2 files: all match\n")


def test_a_folder_that_may_not_be_read_is_told_and_can_be_excluded(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = project.write("src/data/base/file", "").parent
    plainly = os.scandir

    def guarded(folder: Path) -> "os._ScandirIterator[str]":
        if os.fspath(folder) == os.fspath(closed):
            raise PermissionError(errno.EACCES, "Permission denied", str(folder))
        return plainly(os.fspath(folder))

    monkeypatch.setattr(os, "scandir", guarded)
    with pytest.raises(RefusedError) as caught:
        read_sources(load_config(project.root))
    assert str(caught.value.diagnostics[0]) == (
        "src/data/base: VCR303 the folder cannot be read: Permission denied\n"
        "  hint: check its permissions, or `exclude` it"
    )
    assert read_sources(load_config(project.root, settings=['exclude=["src/data"]']))


def test_a_full_disk_is_no_question_of_permissions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, target: Path) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(RefusedError, match="No space left on device\n  hint: make room"):
        write_file(tmp_path / "file.py", "x = 1\n")
    assert list(tmp_path.iterdir()) == []
