import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from mini_project import Project

from vcr_gen.gen.output.write import apply_plan
from vcr_gen.gen.pipeline.plan_run import Request, plan_run
from vcr_gen.gen.settings.config_reader import load_config
from vcr_gen.gen.sources.files import digest_at, read_sources

MANIFEST = ".vcr-gen-cache/manifest.json"

# Runs the command and fails if any of the heavy tools, or the reading half, was imported.
_LIGHT = """
import sys
from vcr_gen.cli import main
code = main(sys.argv[1:])
heavy = {"black", "jinja2", "libcst", "mypy", "vcr_gen.gen.pipeline.generation"} & set(sys.modules)
sys.exit(code if not heavy else f"imported: {sorted(heavy)}")
"""


def _light(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _LIGHT, *arguments],
        cwd=project.root,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_run_without_changes_reads_and_formats_nothing(project: Project) -> None:
    project.run()
    for arguments in ((), ("--check",), ("--diff",)):
        done = _light(project, *arguments)
        assert (done.returncode, done.stderr) == (0, "2 unchanged\n")


@pytest.mark.parametrize("first", ["", "verify"])
def test_the_cache_folder_ignores_itself(project: Project, first: str) -> None:
    project.run(*first.split())
    project.run()
    assert project.read(".vcr-gen-cache/.gitignore").splitlines()[-1] == "*"
    assert "Signature" in project.read(".vcr-gen-cache/CACHEDIR.TAG")


def test_a_folder_of_somebody_elses_is_not_ignored_for_the_cache_in_it(project: Project) -> None:
    project.run("--set", 'cache-dir="src"')
    assert (project.root / "src" / "manifest.json").exists()
    assert not (project.root / "src" / ".gitignore").exists()


def test_no_cache_neither_reads_nor_writes_it(project: Project) -> None:
    project.run("--no-cache")
    assert not (project.root / ".vcr-gen-cache").exists()
    project.run()
    before = project.read(MANIFEST)
    project.replace("src/app/ports.py", 'arguments: str = ""', 'arguments: str = "x"')
    assert project.run("--no-cache", "--check").code == 1
    assert project.read(MANIFEST) == before


@pytest.mark.parametrize("damage", ["", "{", "[]", "null", '{"check": ""}', "\x00\xff", "deleted"])
def test_a_damaged_manifest_only_costs_time(project: Project, damage: str) -> None:
    project.run()
    manifest = project.root / MANIFEST
    if damage == "deleted":
        manifest.unlink()
    else:
        manifest.write_text(damage)
    assert project.run("--check").code == 0
    project.replace("generated/vcr_app/ports.py", "step: Step", "step: object")
    assert project.run("--check").code == 1


def test_a_manifest_that_was_tampered_with_is_not_believed(project: Project) -> None:
    project.run()
    project.replace("generated/vcr_app/ports.py", "step: Step", "step: object")
    document = json.loads(project.read(MANIFEST))
    for path in document["outputs"]:
        if path.endswith("ports.py"):
            document["outputs"][path] = digest_at(path)
    (project.root / MANIFEST).write_text(json.dumps(document))
    assert project.run("--check").code == 1


NEW = """
from typing import Protocol
from vcr_gen.boundary import outbound

@outbound
class New(Protocol):
    def f(self) -> int: ...
"""

BASE = "from typing import Protocol\nclass Base(Protocol):\n    def {}(self) -> int: ...\n"


def _assert_noticed(project: Project) -> None:
    assert project.run("--check").code == 1
    assert project.run().code == 0
    assert project.run("--check").code == 0


def test_everything_that_decides_the_output_is_noticed(project: Project) -> None:
    project.write("src/app/base.py", BASE.format("first"))
    project.replace("src/app/ports.py", "StepRunner(Protocol)", "StepRunner(Base, Protocol)")
    project.replace("src/app/ports.py", "@dataclass", "from app.base import Base\n\n@dataclass")
    project.run()
    project.replace("src/app/base.py", "first", "second")
    _assert_noticed(project)
    project.write("src/app/base.pyi", BASE.format("third"))
    _assert_noticed(project)
    project.replace("pyproject.toml", "[tool.vcr-gen]", "[tool.vcr-gen]\nline-length = 60")
    _assert_noticed(project)
    project.write("src/app/new.py", NEW)
    _assert_noticed(project)
    (project.root / "src/app/new.py").unlink()
    _assert_noticed(project)


def test_a_file_that_changes_while_vcr_gen_runs_is_noticed(project: Project) -> None:
    project.write("libs/other/base.py", BASE.format("first"))
    project.replace("pyproject.toml", "[tool.vcr-gen]", '[tool.vcr-gen]\nsearch-path = ["libs"]')
    project.replace("src/app/ports.py", "StepRunner(Protocol)", "StepRunner(Base, Protocol)")
    project.replace("src/app/ports.py", "@dataclass", "from other.base import Base\n\n@dataclass")

    def change(done: int, total: int) -> None:
        if done == total:  # all is read
            project.write("libs/other/base.py", BASE.format("second"))

    apply_plan(plan_run(load_config(project.root), Request(progress=change)))
    assert (project.root / MANIFEST).exists()
    _assert_noticed(project)


def test_a_template_behind_a_link_is_noticed(project: Project) -> None:
    project.write("common/license.txt", "# ours\n")
    mark = "# Code generated by vcr-gen. DO NOT EDIT.\n"
    project.write("mine/package.py.jinja", f'{mark}{{% include "shared/license.txt" %}}')
    (project.root / "mine/shared").symlink_to("../common")
    (project.root / "common/back").symlink_to("../mine")
    project.write("pyproject.toml", '[tool.vcr-gen]\ntemplate-dir = "mine"\n')
    assert project.run().code == 0
    project.write("common/license.txt", "# yours\n")
    _assert_noticed(project)


COMES = {
    "a stub, in a package of stubs that is there": "../libs/other-stubs/inner/base.pyi",
    "a module, in a folder that is there": "../libs/deep/late.py",
    "a stub, in an environment among the sources": ".venv/lib/far/base.pyi",
    "an extension module": "app/native.cpython-311-x86_64-linux-gnu.so",
    "a folder without Python, which makes a name the project's own": "deep/readme.txt",
}

CONTENTS = {
    "base.pyi": BASE.format("another"),
    "late.py": 'from typing import TypeVar\nT = TypeVar("T")\n',
}


@pytest.mark.parametrize("path", COMES.values(), ids=COMES)
def test_a_file_that_was_looked_for_in_vain_is_noticed_when_it_comes(
    empty: Project, path: str
) -> None:
    empty.write(
        "pyproject.toml",
        '[tool.vcr-gen]\nsources = ["."]\nsearch-path = ["../libs", ".venv/lib"]\n',
    )
    empty.write(".venv/pyvenv.cfg", "")
    empty.write(".venv/lib/far/base.py", BASE.format("first"))
    empty.write("../libs/other/inner/base.py", BASE.format("second"))
    empty.write("../libs/other-stubs/inner/__init__.pyi", "")
    empty.write("../libs/deep/readme.txt", "")
    empty.write("app/native.pyi", "class Thing: ...\n")
    empty.write(
        "app/ports.py",
        """
        from typing import Protocol
        from far.base import Base as Far
        from other.inner.base import Base
        from deep.late import T
        from vcr_gen.boundary import outbound
        from app.native import Thing

        @outbound
        class Port(Base, Far, Protocol):
            def f(self, x: Thing) -> T: ...
        """,
    )
    for _ in range(2):
        assert empty.run().code == 0
    assert _light(empty, "--check").returncode == 0
    empty.write(path, CONTENTS.get(path.rpartition("/")[2], ""))
    _assert_noticed(empty)


def test_runs_at_the_same_time_do_not_spoil_each_other(project: Project) -> None:
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: project.run_process("-q"), range(4)))
    assert [(run.code, run.err) for run in runs] == [(0, "")] * 4
    assert project.run("--check").err == "2 unchanged\n"
    assert [path for path in project.files() if path.endswith(".tmp")] == []


def test_a_cache_folder_that_cannot_be_written_is_no_error(project: Project) -> None:
    project.write(".vcr-gen-cache", "a file\n")
    assert project.run().code == 0
    assert project.run("--check").code == 0


def test_a_run_reads_each_file_of_the_project_once(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []
    plainly = Path.read_bytes

    def counted(path: Path) -> bytes:
        read.append(path)
        return plainly(path)

    monkeypatch.setattr(Path, "read_bytes", counted)
    plan_run(load_config(project.root), Request())
    own = [path for path in read if path.is_relative_to(project.root / "src")]
    assert project.root / "src/app/ports.py" in own
    assert len(own) == len(set(own))


def test_a_folder_that_becomes_another_project_is_noticed(project: Project) -> None:
    project.write("src/app/inner/__init__.py", "")
    project.write("src/app/inner/new.py", NEW)
    project.run()
    project.write("src/app/inner/pyproject.toml", "[tool.vcr-gen]\n")
    _assert_noticed(project)


def test_exclude_means_the_same_in_every_folder(project: Project) -> None:
    for folder in (project.root, project.root / "src"):
        config = load_config(folder, settings=['exclude=["src/app/ports.py"]'])
        assert not any(file.candidate for file in read_sources(config))
