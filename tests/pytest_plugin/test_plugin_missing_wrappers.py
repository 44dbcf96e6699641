"""An import of wrappers that fails says what to do: generate them, or put them on the path."""

import shutil

import pytest
from plugin_project import PluginProject

pytest_plugins = ["pytester"]

TEST = "from vcr_app import VcrShell\n\n\ndef test_one():\n    pass\n"
INNER = "def test_one():\n    from vcr_app import VcrShell\n"
SETTINGS = """
    [tool.vcr-gen]
    sources = ["."]

    [tool.pytest.ini_options]
    pythonpath = ["."]
    """
ELSEWHERE = 'pythonpath = ["generated"] in [tool.pytest.ini_options]'
NOT_GENERATED = (
    f"E   hint: vcr_app is not generated: run `vcr-gen`, and put it on the path: {ELSEWHERE}\n"
)
NOT_ON_PATH = (
    f"E   hint: vcr_app is generated, but not on the path: {ELSEWHERE}; then `import vcr_app`\n"
)


@pytest.fixture
def off_path(project: PluginProject) -> PluginProject:
    """The project without `generated` on the path of its tests."""
    project.write("pyproject.toml", SETTINGS)
    for conftest in project.root.rglob("conftest.py"):
        conftest.unlink()
    return project


def run(project: PluginProject) -> str:
    output = project.in_processes().run()
    return "\n".join(" ".join(line.split(None, 1)) for line in output.splitlines()) + "\n"


def squeezed(text: str) -> str:
    return text.replace("E   ", "E ")


@pytest.mark.parametrize("text", [TEST, INNER])
def test_before_generation_the_command_is_named(off_path: PluginProject, text: str) -> None:
    shutil.rmtree(off_path.root / "generated")
    off_path.write("test_it.py", text)
    assert run(off_path).count(squeezed(NOT_GENERATED)) == 1


@pytest.mark.parametrize("text", [TEST, INNER, TEST.replace("vcr_app", "generated.vcr_app")])
def test_the_setting_for_the_path_is_named(off_path: PluginProject, text: str) -> None:
    off_path.write("test_it.py", text)
    assert run(off_path).count(squeezed(NOT_ON_PATH)) == 1


def test_a_conftest_says_it_too(off_path: PluginProject) -> None:
    off_path.write("conftest.py", "from vcr_app import VcrShell\n")
    off_path.write("test_it.py", "def test_one(): ...\n")
    assert run(off_path).count(squeezed(NOT_ON_PATH)) == 1


def test_modules_of_others_get_no_line(off_path: PluginProject) -> None:
    off_path.write("test_it.py", "import vcr_gen.nothing\n")
    assert "hint: vcr" not in run(off_path)
