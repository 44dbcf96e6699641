"""Several projects in one repository: each has its own wrappers, and is told from the others."""

from pathlib import Path

import pytest
from mini_project import PORTS, Project


@pytest.fixture
def repository(tmp_path: Path) -> Project:
    """A folder with the projects `a` and `b` in it, and no configuration of its own."""
    repository = Project(tmp_path / "repository")
    for name in ("a", "b"):
        repository.write(f"{name}/pyproject.toml", f'[project]\nname = "{name}"\n[tool.vcr-gen]\n')
        repository.write(f"{name}/src/{name}/ports.py", PORTS)
    return repository


def test_projects_inside_of_a_folder_are_not_part_of_it(repository: Project) -> None:
    run = repository.run()
    assert (run.code, run.out) == (0, "")
    assert run.err == (
        "no boundaries found in 0 Python files below .: mark a Protocol with @outbound, or run "
        "vcr-gen --init\n"
        "0 unchanged\n"
    )
    assert repository.files() == {}
    assert repository.run("--config", "a/pyproject.toml").code == 0
    assert sorted(repository.files("a/generated")) == [
        "a/generated/vcr_a/__init__.py",
        "a/generated/vcr_a/ports.py",
    ]


def test_a_project_with_boundaries_leaves_those_inside_of_it_alone(repository: Project) -> None:
    repository.write("pyproject.toml", '[tool.vcr-gen]\nsources = ["."]\n')
    repository.write("main/ports.py", PORTS)
    assert repository.run().code == 0
    assert sorted(repository.files()) == [
        "generated/vcr_main/__init__.py",
        "generated/vcr_main/ports.py",
    ]


def test_a_folder_whose_settings_stand_above_it_is_no_project_of_its_own(
    repository: Project,
) -> None:
    repository.write("pyproject.toml", '[tool.vcr-gen]\nsources = ["."]\n')
    repository.write("b/pyproject.toml", '[project]\nname = "b"\n')
    assert repository.run("--list").out.split()[2] == "b.src.b.ports:StepRunner"


def test_a_project_that_comes_or_goes_is_noticed(repository: Project) -> None:
    repository.write("pyproject.toml", '[tool.vcr-gen]\nsources = ["."]\n')
    settings = repository.write("b/pyproject.toml", '[project]\nname = "b"\n')
    assert repository.run().code == 0
    assert "generated/vcr_b/src/b/ports.py" in repository.files()
    settings.write_text('[project]\nname = "b"\n[tool.vcr-gen]\n')
    check = repository.run("--check")
    assert (check.code, check.out.count("stale ")) == (1, 4)
    settings.unlink()
    assert repository.run("--check").code == 0


@pytest.mark.parametrize(
    ("folder", "options", "places"),
    [
        (".", ["--config", "a/pyproject.toml"], ("a/src/a/", "a/generated/vcr_a/", "a/")),
        ("a", [], ("src/a/", "generated/vcr_a/", "")),
        ("a/src", [], ("a/", "../generated/vcr_a/", "../")),
        ("b", ["--config", "../a/pyproject.toml"], ("{}/src/a/", "{}/generated/vcr_a/", "{}/")),
    ],
)
def test_files_are_named_as_they_can_be_opened_from_where_the_command_is_typed(
    repository: Project, folder: str, options: list[str], places: tuple[str, str, str]
) -> None:
    source, output, settings = (each.format(repository.root / "a") for each in places)
    here = Project(repository.root / folder)
    assert f" {source}ports.py:" in here.run("--list", *options).out
    assert f"wrote {output}ports.py\n" in here.run(*options).out
    assert "# source: src/a/ports.py\n" in repository.read("a/generated/vcr_a/ports.py")
    assert here.run("--check", *options).code == 0
    repository.replace("a/src/a/ports.py", "step: Step,", "step: Stop,")
    assert here.run("--check", *options).err.startswith(f"{source}ports.py:")
    github = ("--output-format", "github")
    annotated = here.run(*options, *github, GITHUB_WORKSPACE=str(repository.root))
    assert annotated.out.startswith("::error file=a/src/a/ports.py,line=")
    repository.write("a/pyproject.toml", "[tool.vcr-gen]\nsourcse = []\n")
    assert here.run(*options).err.startswith(f"{settings}pyproject.toml:2:1: VCR402")
