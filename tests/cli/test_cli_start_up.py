import subprocess
import sys
from pathlib import Path

import pytest
from mini_project import Project
from terminals import run_in_terminal

from vcr_gen.cli import main

_WITHOUT_EXTRA = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"black", "jinja2", "libcst", "mypy"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refuse())
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name in {
    "black", "jinja2", "libcst", "mypy"} else real(name, *rest)
from vcr_gen.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["verify", "--help"], ["extract", "--help"], ["mark", "--help"]],
)
def test_help_imports_none_of_the_heavy_tools(arguments: list[str]) -> None:
    code = (
        "import sys; from vcr_gen.cli import main; code = main(sys.argv[1:]);"
        "heavy = {'libcst', 'black', 'jinja2', 'mypy', 'yaml'} & set(sys.modules);"
        "sys.exit(f'{sorted(heavy)}' if heavy else code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("arguments", [[], ["--check"], ["--list"], ["verify"], ["extract", "a:B"]])
def test_without_the_extra_it_says_what_to_install(project: Project, arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_EXTRA, *arguments],
        cwd=project.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "VCR410" in done.stderr
    assert 'pip install "vcr-gen[gen]"' in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [["--chekc"], ["-q", "-v"], ["--output-format", "xml"]])
def test_usage_errors_exit_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "usage: vcr-gen" in capsys.readouterr().err


def test_an_unexpected_exception_is_no_traceback_and_no_drift(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def explode(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.chdir(project.root)
    monkeypatch.delenv("VCR_GEN_DEBUG", raising=False)
    monkeypatch.setattr("vcr_gen.gen.pipeline.generation.generate", explode)
    assert main([]) == 2
    err = capsys.readouterr().err
    assert "internal error: RuntimeError: boom" in err
    assert "please report" in err
    assert "VCR_GEN_DEBUG=1" in err
    assert "Traceback" not in err
    monkeypatch.setenv("VCR_GEN_DEBUG", "1")
    with pytest.raises(RuntimeError, match="boom"):
        main([])


def test_a_reader_that_goes_away_is_no_error(project: Project) -> None:
    command = f"{sys.executable} -m vcr_gen --help | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_there_is_no_progress_bar_and_no_colour_in_a_pipe(project: Project) -> None:
    run = project.run()
    assert "█" not in run.err + run.out
    assert "\033" not in run.err + run.out


def _in_a_terminal(project: Project, **environment: str) -> str:
    return run_in_terminal("--no-cache", "--check", cwd=project.root, **environment).shown


def test_a_terminal_gets_colour_and_a_progress_bar_unless_it_says_no(project: Project) -> None:
    colored = _in_a_terminal(project, NO_COLOR="")
    assert "\033[31mmissing\033[0m" in colored
    assert "█" in colored
    plain = _in_a_terminal(project, NO_COLOR="1")
    assert "\033[31m" not in plain


def test_python_dash_m_is_the_same_command(project: Project) -> None:
    script = Path(sys.executable).with_name("vcr-gen")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == project.run("--version").out
