"""The recipes work: their pages, and the commands in the workflows that they show."""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from doc_pages import REPOSITORY, blocks, is_run, recipes
from doc_runs import environment_of, work, work_through

pytestmark = pytest.mark.slow

PAGES = {page.stem: page for page in recipes()}


@pytest.fixture(autouse=True)
def _tools_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", folder, prepend=os.pathsep)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project of the README, recorded, before it changes."""
    readme = REPOSITORY / "README.md"
    project = tmp_path_factory.mktemp("example")
    for block in blocks(readme):
        if block.info == "diff":
            break
        work(block, project, f"{readme}:{block.line}")
    return project


@pytest.fixture
def project(example: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "project"
    shutil.copytree(example, copy)
    return copy


def github(project: Path) -> Iterator[tuple[Path, str]]:
    """The commands of the workflow, and the folder that each is run in."""
    workflow = yaml.safe_load((project / ".github/workflows/test.yml").read_text())
    (job,) = workflow["jobs"].values()
    folders = job.get("strategy", {}).get("matrix", {}).get("project", ["."])
    for folder in folders:
        for step in job["steps"]:
            if "run" in step:
                yield project / folder, step["run"]


def gitlab(project: Path) -> Iterator[tuple[Path, str]]:
    (job,) = yaml.safe_load((project / ".gitlab-ci.yml").read_text()).values()
    for command in job["script"]:
        yield project, command


def tox(project: Path) -> Iterator[tuple[Path, str]]:
    settings = tomllib.loads((project / "tox.toml").read_text())
    for environment in (settings["env_run_base"], settings["env"]["wrappers"]):
        for words in environment["commands"]:
            yield project, " ".join(words)


def failing(commands: Iterator[tuple[Path, str]]) -> str | None:
    """The first command that fails in CI, with what it printed."""
    ran = 0
    for folder, command in commands:
        if not is_run(command):
            continue
        done = subprocess.run(
            ["sh", "-ec", command],
            cwd=folder,
            env=environment_of({"CI": "true", "PYTHONPATH": ""}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=600,
            check=False,
        )
        ran += 1
        if done.returncode:
            return f"$ {command}\n{done.stdout}"
    assert ran >= 4
    return None


def test_the_project_of_a_pre_commit_hook_is_checked(project: Path) -> None:
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=project, check=True)
    page = PAGES["pre-commit"]
    for block in blocks(page):
        work(block, project, f"{page}:{block.line}")
        subprocess.run(["git", "add", "."], cwd=project, check=True)

    (shared,) = yaml.safe_load((project / ".pre-commit-config.yaml").read_text())["repos"]
    offered = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text())
    assert [hook["id"] for hook in shared["hooks"]] == [hook["id"] for hook in offered]


def test_wrappers_in_a_package_are_in_its_wheel_and_work_there(
    project: Path, tmp_path: Path
) -> None:
    work_through(PAGES["wrappers-in-a-package"], project)

    (wheel,) = (project / "dist").glob("*.whl")
    installed = tmp_path / "installed"
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index")
    subprocess.run([*pip, "--target", installed, wheel], cwd=tmp_path, check=True)
    code = (
        "import app, vcr_app; print(app.__path__[0], vcr_app.__file__, vcr_app.VcrShell.__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count(str(installed)) == 2
    assert done.stdout.endswith(" VcrShell\n")


def test_each_project_of_a_monorepo_passes_its_job(tmp_path: Path) -> None:
    work_through(PAGES["several-projects"], tmp_path)

    assert failing(github(tmp_path)) is None


def the_protocol_changes(project: Path) -> None:
    ports = project / "src/app/ports.py"
    ports.write_text(ports.read_text().replace("*command: str", "*command: str, user: str = ''"))


def a_credential_is_recorded(project: Path) -> None:
    cassette = project / "tests/cassettes/test_space/test_size.yaml"
    key = "ghp_" + "a1B2" * 10
    cassette.write_text(cassette.read_text().replace("\t.", f"\t{key}"))


def the_program_changes(project: Path) -> None:
    space = project / "src/app/space.py"
    space.write_text(space.read_text().replace('"-sk", "."', '"-sk", "src"'))


def a_test_is_deleted(project: Path) -> None:
    folder = project / "tests/cassettes/test_space"
    shutil.copy(folder / "test_size.yaml", folder / "test_deleted.yaml")


CATCHES = [
    (the_protocol_changes, "$ vcr-gen --check", "vcr_app/ports.py"),
    (a_credential_is_recorded, "$ vcr-gen cassette scan", "github-token"),
    (the_program_changes, "$ pytest", "DivergenceError"),
    (a_test_is_deleted, "$ pytest", "test_deleted.yaml"),
]


@pytest.mark.parametrize(
    ("page", "commands"),
    [("continuous-integration", github), ("continuous-integration", gitlab), ("tox", tox)],
)
def test_the_commands_of_a_pipeline_pass_and_catch_each_mistake(
    page: str, commands: Callable[[Path], Iterator[tuple[Path, str]]], project: Path, tmp_path: Path
) -> None:
    work_through(PAGES[page], project)
    assert failing(commands(project)) is None

    for number, (mistake, command, reason) in enumerate(CATCHES):
        copy = tmp_path / f"copy{number}"
        shutil.copytree(project, copy)
        mistake(copy)
        said = failing(commands(copy))
        assert said is not None, mistake.__name__
        assert said.startswith(command), said
        assert reason in said, said


def test_every_recipe_is_tried() -> None:
    tried = {"continuous-integration", "pre-commit", "several-projects", "tox"}
    assert set(PAGES) == tried | {"wrappers-in-a-package"}
