import json
import re
import shlex

import pytest
from drift_edits import PROTOCOL, PROTOCOL_EDITS, WRAPPER_EDITS
from mini_project import Project

_MODULE = "src/app/edit_{}.py"
_WRAPPER = "generated/vcr_app/edit_{}.py"


def _project_of(project: Project, count: int) -> None:
    for number in range(count):
        project.write(_MODULE.format(number), PROTOCOL.replace("NUMBER", str(number)))
    (project.root / "src/app/ports.py").unlink()
    assert project.run().code == 0
    assert len(project.files()) == count + 1
    assert project.run("--check").code == 0


def _edit(text: str, edit: tuple[str, ...]) -> str:
    for old, new in zip(edit[::2], edit[1::2], strict=True):
        assert old in text, f"{old!r} is not there to be edited"
        text = text.replace(old, new, 1)
    return text


def _reported_by_check(project: Project) -> set[str]:
    run = project.run("--check", "--output-format", "json")
    assert run.code == 1, run.err
    return {file["path"] for file in json.loads(run.out)["files"]}


def _reported_by_verify(project: Project, *arguments: str) -> set[str]:
    run = project.run("verify", *arguments)
    assert run.code == 1, run.err
    places = re.findall(r"^(\S+?):(\d+):(\d+): VCR3\d\d ", run.err, flags=re.MULTILINE)
    assert all(int(line) > 0 and int(column) > 0 for _, line, column in places)
    return {path for path, _, _ in places}


def test_there_are_more_than_fifty_different_edits() -> None:
    assert len(set(PROTOCOL_EDITS.values())) == len(PROTOCOL_EDITS) >= 50
    assert len(set(WRAPPER_EDITS.values())) == len(WRAPPER_EDITS) >= 50


def test_check_and_verify_report_every_edit_of_a_protocol(project: Project) -> None:
    _project_of(project, len(PROTOCOL_EDITS))
    for number, edit in enumerate(PROTOCOL_EDITS.values()):
        path = project.root / _MODULE.format(number)
        path.write_text(_edit(path.read_text(), edit))
    _assert_all_reported(project, list(PROTOCOL_EDITS))


def test_check_and_verify_report_every_edit_of_a_wrapper_by_hand(project: Project) -> None:
    _project_of(project, len(WRAPPER_EDITS))
    for number, edit in enumerate(WRAPPER_EDITS.values()):
        path = project.root / _WRAPPER.format(number)
        path.write_text(_edit(path.read_text(), edit))
    _assert_all_reported(project, list(WRAPPER_EDITS))


def _assert_all_reported(project: Project, names: list[str]) -> None:
    wanted = {_WRAPPER.format(number): name for number, name in enumerate(names)}
    checked, verified = _reported_by_check(project), _reported_by_verify(project, "--no-mypy")
    assert [name for path, name in wanted.items() if path not in checked] == []
    assert [name for path, name in wanted.items() if path not in verified] == []


def test_check_reports_missing_changed_and_stale_files_and_how_to_fix_it(project: Project) -> None:
    other = project.read("src/app/ports.py").replace("StepRunner", "Other")
    other = other.replace("ScriptServer", "Inner").replace('"server"', '"inner"')
    project.write("src/app/gone.py", other)
    project.run()
    (project.root / "src/app/gone.py").unlink()
    (project.root / "generated/vcr_app/__init__.py").unlink()
    project.replace("generated/vcr_app/ports.py", "step: Step", "step: object")
    before = project.files()
    run = project.run("--check")
    assert run.code == 1
    assert run.out.splitlines() == [
        "missing generated/vcr_app/__init__.py",
        "stale generated/vcr_app/gone.py",
        "changed generated/vcr_app/ports.py",
    ]
    assert run.err == "1 missing, 1 changed, 1 stale, 0 unchanged\nto fix: vcr-gen\n"
    assert project.files() == before
    github = project.run("--check", "--output-format", "github")
    assert github.out.count("::error file=generated/vcr_app/") == 3
    assert project.run().code == 0
    assert project.run("--check").code == 0


def test_the_command_that_fixes_it_is_the_one_for_this_project_and_shell(project: Project) -> None:
    (project.root / "src/app/a b").mkdir()
    (project.root / "pyproject.toml").rename(project.root / "it's.toml")
    chosen = ("--config", "it's.toml", "--set", 'exclude=["it\'s $HOME"]')
    paths = ("src/app/a b", "src")
    for *looking, given in (("verify", "--no-mypy", ()), ("--check", ()), ("--check", paths)):
        run = project.run(*map(str, looking), *chosen, *given)
        command = run.err.splitlines()[-1].removeprefix("to fix: ")
        assert (run.code, shlex.split(command)) == (1, ["vcr-gen", *chosen, *given])
    assert project.run(*shlex.split(command)[1:]).code == 0
    assert project.run("--check", *chosen).code == 0


def test_annotations_name_files_as_the_repository_knows_them(project: Project) -> None:
    repository = str(project.root.parent)
    run = project.run("--diff", "--output-format", "github", GITHUB_WORKSPACE=repository)
    assert "::error file=project/generated/vcr_app/ports.py,title=drift::" in run.out
    assert "+++ b/generated/vcr_app/ports.py" in run.out
    project.replace("src/app/ports.py", "-> str", "-> Nothing")
    for config in ((), ("--config", "src/../pyproject.toml")):
        run = project.run(*config, "--output-format", "github", GITHUB_WORKSPACE=repository)
        assert run.out.startswith("::error file=project/src/app/ports.py,line=")
    run = project.run("--output-format", "github", GITHUB_WORKSPACE="/elsewhere")
    assert run.out.startswith("::error file=src/app/ports.py,line=")


def test_the_diff_can_be_applied_for_missing_changed_and_stale_files(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    import subprocess

    other = project.read("src/app/ports.py").replace("StepRunner", "Other")
    other = other.replace("ScriptServer", "Inner").replace('"server"', '"inner"')
    project.write("src/app/gone.py", other)
    project.run()
    (project.root / "src/app/gone.py").unlink()
    (project.root / "generated/vcr_app/__init__.py").unlink()
    project.replace("generated/vcr_app/ports.py", "step: Step", "step: object")
    run = project.run("--diff", "-q")
    assert run.code == 1
    patch = tmp_path_factory.mktemp("patch") / "fix.patch"
    patch.write_text(run.out)
    subprocess.run(["git", "apply", str(patch)], cwd=project.root, check=True)
    assert project.run("--check").code == 0


def test_crlf_checkouts_are_not_drift(project: Project) -> None:
    project.run()
    for path, data in project.files().items():
        (project.root / path).write_bytes(data.replace(b"\n", b"\r\n"))
    for arguments in (("--check",), ("--check", "--no-cache"), ("verify", "--no-mypy"), ()):
        assert project.run(*arguments).code == 0, arguments
    assert b"\r\n" in (project.root / "generated/vcr_app/ports.py").read_bytes()


@pytest.mark.usefixtures("warm_mypy")
def test_verify_lets_mypy_look_at_protocols_and_wrappers(project: Project) -> None:
    project.run()
    run = project.run("verify")
    assert (run.code, run.err) == (0, "2 boundaries in 2 files: all match\n")
    project.replace("generated/vcr_app/ports.py", "-> AsyncIterator[str]:", "-> int:")
    run = project.run("verify")
    assert run.code == 1
    assert re.search(r"^generated/vcr_app/ports.py:\d+:\d+: VCR310 ", run.err, re.MULTILINE)
    assert re.search(r"^generated/vcr_app/ports.py:\d+:\d+: VCR314 ", run.err, re.MULTILINE)
    assert run.err.endswith("to fix: vcr-gen\n")


@pytest.mark.usefixtures("warm_mypy")
def test_verify_does_not_send_to_vcr_gen_for_what_the_protocol_leaves_open(
    project: Project,
) -> None:
    project.replace("src/app/ports.py", "name: str, arguments", "name, arguments")
    project.run()
    run = project.run("verify")
    assert run.code == 1
    assert re.search(r"^src/app/ports.py:\d+:\d+: VCR310 .*annotation", run.err, re.MULTILINE)
    assert run.err.endswith("; the wrappers are up to date: see vcr-gen --explain VCR310\n")


@pytest.mark.usefixtures("warm_mypy")
def test_verify_leaves_the_bodies_of_functions_to_the_project(project: Project) -> None:
    ports = project.read("src/app/ports.py")
    beside = """

def helper(x: int) -> str:
    def inner() -> int:
        return "a"

    return x + inner()


class Real:
    def one(self) -> str: return 1
    async def two(self) -> str:
        "Two."
        return 2
"""
    project.write("src/app/ports.py", ports + beside)
    project.run()
    run = project.run("verify")
    assert (run.code, run.err) == (0, "2 boundaries in 2 files: all match\n")
    project.write("src/app/ports.py", ports + beside + "    def three(self, x) -> str: return 3\n")
    run = project.run("verify")
    assert run.code == 1
    assert run.err.count("VCR310 ") == 1
    assert "missing a type annotation" in run.err


def test_verify_names_missing_and_stale_files(project: Project) -> None:
    run = project.run("verify", "--no-mypy")
    assert run.code == 1
    assert "generated/vcr_app/ports.py: VCR314 the generated file is missing" in run.err
    project.run()
    (project.root / "src/app/ports.py").unlink()
    run = project.run("verify", "--no-mypy")
    assert run.code == 1
    assert "VCR314 the generated file no longer has a Protocol" in run.err
