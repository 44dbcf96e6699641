"""`vcr-gen cassette prune`: what no test uses goes, and nothing else."""

import json
from pathlib import Path

import pytest
from tape_files import HEADER, write_tape

from vcr_gen.cli import main

TESTS = """
import pytest

def test_one(vcrgen_cassette):
    pass

@pytest.mark.parametrize("word", ["x"])
def test_two(vcrgen_cassette, word):
    pass
"""


class Suite:
    """A project with tests, and pytest as `prune` finds it."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self.capsys = capsys
        self.write("pyproject.toml", "[tool.pytest.ini_options]\n")
        self.write("tests/test_it.py", TESTS)
        self.tapes = root / "tests" / "cassettes"
        for name in ("test_one", "test_two[x]", "test_two[y]", "test_gone"):
            self.tape(f"test_it/{name}.yaml")
        self.tape("test_old/test_a.jsonl")

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def tape(self, name: str) -> Path:
        return write_tape(self.tapes / name, [], {"recorded_at": HEADER["recorded_at"]})

    def names(self) -> list[str]:
        return sorted(
            path.relative_to(self.tapes).as_posix()
            for path in self.tapes.rglob("*")
            if path.is_file()
        )

    def prune(self, *arguments: str) -> tuple[int, str, str]:
        code = main(["cassette", "prune", *arguments])
        return code, *self.capsys.readouterr()


UNUSED = ["test_it/test_gone.yaml", "test_it/test_two[y].yaml", "test_old/test_a.jsonl"]


@pytest.fixture
def tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Suite:
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p vcr_gen.pytest_plugin -p no:cacheprovider")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    suite = Suite(tmp_path / "project", capsys)
    monkeypatch.chdir(suite.root)
    return suite


def test_a_dry_run_comes_first_and_then_only_what_is_unused_goes(tests):
    (tests.tapes / "test_it" / "notes.yaml").write_text("not: ours\n")
    before = tests.names()
    assert tests.prune() == (
        1,
        "".join(f"unused tests/cassettes/{name}\n" for name in UNUSED),
        "3 unused cassettes; nothing was deleted\nto delete: vcr-gen cassette prune --yes\n",
    )
    assert tests.names() == before
    code, out, err = tests.prune("--yes")
    assert (code, err) == (0, "3 unused cassettes deleted\n")
    assert out == "".join(f"deleted tests/cassettes/{name}\n" for name in UNUSED)
    assert tests.names() == [
        "test_it/notes.yaml",
        "test_it/test_one.yaml",
        "test_it/test_two[x].yaml",
    ]
    assert not (tests.tapes / "test_old").exists()
    assert tests.prune()[::2] == (0, "no unused cassettes\n")


def test_only_the_given_folders_are_looked_at(tests):
    folder = "tests/cassettes/test_old"
    code, out, err = tests.prune(folder)
    assert (code, out) == (1, "unused tests/cassettes/test_old/test_a.jsonl\n")
    assert err.endswith(f"vcr-gen cassette prune --yes {folder}\n")
    code, out, _ = tests.prune("--output-format=json", folder)
    document = json.loads(out)
    assert code == 1
    assert document == {
        "version": 1,
        "status": "different",
        "deleted": False,
        "unused": [str(tests.tapes / "test_old" / "test_a.jsonl")],
        "unjudged": [],
    }


def test_folders_that_are_not_named_like_a_test_module_are_left_alone(tests):
    tests.tape("manual/login.yaml")
    _, out, _ = tests.prune()
    assert out == "".join(f"unused tests/cassettes/{name}\n" for name in UNUSED)


def test_modules_whose_tests_open_cassettes_while_they_run_are_not_judged(tests):
    tests.write(
        "tests/test_it.py",
        TESTS + '\ndef test_gone(request):\n    request.getfixturevalue("vcrgen_cassette")\n',
    )
    _, out, err = tests.prune()
    assert out == "unused tests/cassettes/test_old/test_a.jsonl\n"
    assert "not judged, because their tests open cassettes while they run: tests/test_it.py" in err
    assert "hint: pytest --vcrgen-check-unused" in err


def test_tests_that_cannot_be_collected_and_wrong_folders_exit_2_and_delete_nothing(tests):
    before = tests.names()
    code, out, err = tests.prune("no/such/folder")
    assert (code, out) == (2, "")
    assert "no such folder" in err
    tests.write("tests/test_it.py", "import no_such_module\n")
    code, out, err = tests.prune("--yes")
    assert (code, out) == (2, "")
    assert "pytest could not determine which cassettes are used:" in err
    assert "no_such_module" in err
    assert tests.names() == before
