import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).parents[2]

PORTS = """\
from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Clock(Protocol):
    def now(self) -> float: ...
"""


def _run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the repository, which is gone afterwards."""
    copy = tmp_path_factory.mktemp("source") / "repository"
    listed = _run("git", "ls-files", "-coz", "--exclude-standard", cwd=REPOSITORY).stdout.split(
        "\0"
    )
    for name in filter(None, listed):
        if (REPOSITORY / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, copy / name)
    target = tmp_path_factory.mktemp("wheel")
    command = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", target)
    done = _run(*command, cwd=copy)
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.rmtree(copy)
    return next(target.glob("*.whl"))


def _environment(folder: Path, wheel: Path, *, dependencies: bool) -> Path:
    """A fresh environment with the wheel in it; other packages are borrowed from this one."""
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check")
    done = _run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=folder)
    assert done.returncode == 0, done.stderr
    (site,) = folder.glob("lib/python*/site-packages")
    borrowed = Path(sysconfig.get_path("purelib"))
    if dependencies:
        # `.pth` files inside a borrowed folder are not read, so our editable install stays out.
        (site / "borrowed.pth").write_text(f"{borrowed}\n")
    else:
        for name in ("yaml", "_yaml"):
            shutil.copytree(borrowed / name, site / name)
    return folder / "bin"


def test_the_wheel_carries_what_runs_and_nothing_else(wheel: Path) -> None:
    names = set(ZipFile(wheel).namelist())
    templates = {path.name for path in (REPOSITORY / "templates").iterdir()}
    pages = {path.name for path in (REPOSITORY / "docs" / "errors").iterdir()}
    assert {f"vcr_gen/_templates/{name}" for name in templates} <= names
    assert {f"vcr_gen/_errors/{name}" for name in pages} <= names
    assets = {path.name for path in (REPOSITORY / "src/vcr_gen/html_report/assets").iterdir()}
    assert {f"vcr_gen/html_report/assets/{name}" for name in assets} <= names
    assert "vcr_gen/py.typed" in names
    assert not [name for name in names if name.startswith(("tests/", "docs/", "src/"))]


def test_the_wheel_works_installed_alone(wheel: Path, tmp_path: Path) -> None:
    bin_folder = _environment(tmp_path / "venv", wheel, dependencies=True)
    project = tmp_path / "project"
    (project / "src" / "app").mkdir(parents=True)
    (project / "pyproject.toml").write_text("[tool.vcr-gen]\n")
    (project / "src" / "app" / "__init__.py").write_text("")
    (project / "src" / "app" / "ports.py").write_text(PORTS)
    where = "import vcr_gen; print(vcr_gen.__file__)"
    assert str(tmp_path) in _run(bin_folder / "python", "-c", where, cwd=project).stdout
    for arguments in ((), ("--check",), ("--explain", "VCR301"), ("--list",), ("verify",)):
        done = _run(bin_folder / "vcr-gen", *arguments, cwd=project)
        assert (arguments, done.returncode) == (arguments, 0), done.stdout + done.stderr
    code = "import vcr_app; print(vcr_app.VcrClock.__name__)"
    path = f"import sys; sys.path[:0] = ['src', 'generated']; {code}"
    done = _run(bin_folder / "python", "-c", path, cwd=project)
    assert done.stdout == "VcrClock\n", done.stderr


def test_the_base_install_is_light_and_says_what_the_generator_needs(
    wheel: Path, tmp_path: Path
) -> None:
    bin_folder = _environment(tmp_path / "venv", wheel, dependencies=False)
    done = _run(
        bin_folder / "python", "-c", "import vcr_gen.boundary, vcr_gen.runtime", cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    done = _run(bin_folder / "vcr-gen", "--help", cwd=tmp_path)
    assert done.returncode == 0
    done = _run(bin_folder / "vcr-gen", "--check", cwd=tmp_path)
    assert done.returncode == 2
    assert 'hint: pip install "vcr-gen[gen]"' in done.stderr
    tape = REPOSITORY / "docs/examples/agent_server/cassettes/release.yaml"
    done = _run(bin_folder / "vcr-gen", "cassette", "report", tape, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("release.html\n", "")


REWRITTEN = """
import sys

import pytest
from vcr_gen import Cassette


@pytest.fixture
def tape(vcrgen_cassette):
    return vcrgen_cassette


@pytest.mark.vcrgen(mode="all")
def test_one(tape):
    ours = {name: module for name, module in sys.modules.items() if name.startswith("vcr_gen")}
    loaders = {name: type(module.__loader__).__module__ for name, module in ours.items()}
    rewritten = {name for name, loader in loaders.items() if loader == "_pytest.assertion.rewrite"}
    assert len(ours) > 100
    assert rewritten == {"vcr_gen", "vcr_gen.pytest_plugin"}
"""


def test_pytest_rewrites_the_asserts_of_the_plugin_module_alone(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It marks all modules of a distribution with a plugin, and where no bytecode is written,
    it parses each of them anew on every start."""
    bin_folder = _environment(tmp_path / "venv", wheel, dependencies=True)
    (tmp_path / "test_it.py").write_text(REWRITTEN)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    command = (bin_folder / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider")
    done = _run(*command, "test_it.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
