"""An import of wrappers that fails says what to do: generate them, or put them on the path."""

import shutil

import pytest
from plugin_project import PluginProject

pytest_plugins = ["pytester"]

TEST = "from vcr_app import VcrShell\n\n\ndef test_one():\n    pass\n"
INNER = "def test_one():\n    from vcr_app import VcrShell\n"
NESTED = TEST.replace("vcr_app", "generated.vcr_app")
SETTINGS = """
    [tool.vcr-gen]
    sources = ["."]

    [tool.pytest.ini_options]
    """
SET = 'set pythonpath = ["generated"] in [tool.pytest.ini_options]'
ADD = 'add "generated" to `pythonpath` in pyproject.toml'
NOT_GENERATED = "vcr_app is not generated: run `vcr-gen`"
NOT_ON_PATH = "vcr_app is generated, but not on the path: "


@pytest.fixture
def off_path(project: PluginProject) -> PluginProject:
    """The project without `generated` on the path of its tests."""
    project.write("pyproject.toml", SETTINGS)
    for conftest in project.root.rglob("conftest.py"):
        conftest.unlink()
    return project


def on_path(project: PluginProject, *folders: str) -> None:
    project.write("pyproject.toml", f"{SETTINGS}    pythonpath = {list(folders)}\n")


def hints(project: PluginProject) -> list[str]:
    with project.monkeypatch.context() as patch:
        (project.root / "tests").mkdir(exist_ok=True)
        patch.chdir(project.root / "tests")  # pytester puts the working directory on the path
        output = project.in_processes().run("..", PYTHONSAFEPATH="1")
    lines = (line.split(None, 1) for line in output.splitlines())
    return [line[1].removeprefix("hint: ") for line in lines if line[1:] and "hint:" in line[1]]


@pytest.mark.parametrize("text", [TEST, INNER])
def test_before_generation_the_command_is_named(off_path: PluginProject, text: str) -> None:
    shutil.rmtree(off_path.root / "generated")
    off_path.write("test_it.py", text)
    assert hints(off_path) == [f"{NOT_GENERATED}, and {SET}"]
    on_path(off_path, ".")
    assert hints(off_path) == [f"{NOT_GENERATED}, and {ADD}"]
    on_path(off_path, ".", "generated")
    assert hints(off_path) == [NOT_GENERATED]


@pytest.mark.parametrize("text", [TEST, INNER])
def test_the_setting_for_the_path_is_named(off_path: PluginProject, text: str) -> None:
    off_path.write("test_it.py", text)
    assert hints(off_path) == [NOT_ON_PATH + SET]
    on_path(off_path, ".")
    assert hints(off_path) == [NOT_ON_PATH + ADD]


def test_a_conftest_says_it_too(off_path: PluginProject) -> None:
    off_path.write("conftest.py", "from vcr_app import VcrShell\n")
    off_path.write("test_it.py", "def test_one(): ...\n")
    assert hints(off_path) == [NOT_ON_PATH + SET]


def test_the_folder_is_no_package(off_path: PluginProject) -> None:
    off_path.write("tests/test_it.py", NESTED)
    assert hints(off_path) == [f"import vcr_app without `generated.`, and {SET}"]
    on_path(off_path, "generated")
    assert hints(off_path) == ["import vcr_app without `generated.`"]
    on_path(off_path, ".")
    assert hints(off_path) == [NOT_ON_PATH + ADD]
    shutil.rmtree(off_path.root / "generated")
    assert hints(off_path) == [
        "generated contains no wrappers: run `vcr-gen`, and " + ADD,
    ]
    on_path(off_path, ".", "generated")
    off_path.write("generated/vcr_app/__init__.py", "VcrShell = None\n")
    assert hints(off_path) == []


def test_a_wrapper_that_is_not_there_is_new_or_misspelt(project: PluginProject) -> None:
    project.write("test_it.py", TEST.replace("VcrShell", "VcrShel"))
    assert hints(project) == ["vcr_app has no VcrShel; did you mean VcrShell?"]
    new = "is new or renamed, run `vcr-gen`"
    project.write("test_it.py", TEST.replace("VcrShell", "VcrDatabase"))
    assert hints(project) == [f"vcr_app has no VcrDatabase; if its Protocol {new}"]
    project.write("test_it.py", INNER.replace("vcr_app", "vcr_app.clocks.real"))
    assert hints(project) == [f"vcr_app has no module clocks; if its source {new}"]


def test_modules_of_others_get_no_line(off_path: PluginProject) -> None:
    off_path.write("test_it.py", "import vcr_gen.nothing\n")
    off_path.write("test_else.py", "from app.ports import Nothing\n")
    off_path.write("test_last.py", "def test_one():\n    import numbers.nothing\n")
    assert hints(off_path) == []
