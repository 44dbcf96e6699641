"""Where cassettes lie; any name that a test can have is safe, and no two tests share a file."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from plugin_project import PluginProject

from vcr_gen.pytest.cassette_paths import file_names, module_folder, same_file

pytest_plugins = ["pytester"]


def name(*parts: str) -> str:
    return file_names([parts])[parts]


def test_a_plain_name_keeps_its_letters() -> None:
    assert name("test_one") == "test_one"
    assert name("TestIt", "TestInner", "test_one[a-1.5-GET]") == (
        "TestIt.TestInner.test_one[a-1.5-GET]"
    )
    assert name("test_ö[日本]") == "test_ö[日本]"
    assert module_folder(Path("/x/tests/test_it.py")) == Path("/x/tests/cassettes/test_it")


def test_forbidden_characters_become_dashes() -> None:
    assert name('test[a/b\\c:d|e"f<g>h?i*j]') == "test[a-b-c-d-e-f-g-h-i-j]"
    assert name("../../etc/passwd") == "--..-etc-passwd"
    assert name("a\0b\nc\u202ed\ud800e") == "a-b-c-d-e"
    assert name(".hidden.") == "-hidden-"
    assert name("con") == "-con"
    assert name("") == "-"


def test_a_long_name_is_cut_and_keeps_a_hash_of_the_whole() -> None:
    first, second = name("test_" + "x" * 5000), name("test_" + "x" * 5001)
    assert first != second
    assert len(first) == len(second) == 120
    assert first.startswith("test_xxx")
    assert len(name("ö" * 500).encode()) <= 120


def test_names_that_would_fall_together_are_told_apart() -> None:
    crowd = [("t[a/b]",), ("t[a-b]",), ("t[A-b]",), ("t[é]",), ("t[e\u0301]",), ("t[c]",)]
    names = file_names(crowd)
    assert len({same_file(name) for name in names.values()}) == len(crowd)
    assert names[("t[c]",)] == "t[c]"
    assert names == file_names(reversed(crowd))


@given(st.lists(st.tuples(st.text(), st.text()), max_size=6, unique=True))
def test_any_names_become_distinct_safe_file_names(parts: list[tuple[str, str]]) -> None:
    names = file_names(parts)
    assert len({same_file(name) for name in names.values()}) == len(parts)
    for found in names.values():
        assert 0 < len(found.encode()) <= 120
        assert not set(found) & set("/\\\0\n<>:\"|?*'%")
        assert found not in (".", "..")


def test_tests_with_hostile_names_have_files_of_their_own(project: PluginProject) -> None:
    project.write(
        "tests/test_it.py",
        """
        import pytest

        IDS = ["a/b", "a-b", "A-b", "../../x", "a\\0b", "ö", "x" * 300, "a.b", "a@b", "a@c"]

        @pytest.mark.parametrize("number", range(len(IDS)), ids=IDS)
        def test_one(shell, number):
            assert shell.run(str(number))

        class TestIt:
            @pytest.mark.vcrgen(name="given")
            @pytest.mark.parametrize("number", [1, 2])
            def test_named(self, shell, number):
                assert shell.run(str(number))

            @pytest.mark.vcrgen(format="jsonl")
            def test_lines(self, shell):
                assert shell.run("x")
        """,
    )
    assert "13 passed" in project.record()
    files = [Path(file) for file in project.cassettes()]
    assert {Path("tests/cassettes/test_it")} == {file.parent for file in files}
    assert len(files) == 13
    names = {file.name for file in files}
    assert {"given[1].yaml", "given[2].yaml", "TestIt.test_lines.jsonl"} < names
    assert {"test_one[a.b].yaml", "test_one[a@b].yaml", "test_one[..-..-x].yaml"} < names
    assert "13 passed" in project.run()
    alone = project.run("tests/test_it.py::test_one[a/b]")  # the name does not depend on -k
    assert "1 passed" in alone


def test_two_tests_that_ask_for_one_file_are_both_refused(project: PluginProject) -> None:
    project.write(
        "test_it.py",
        """
        import pytest

        pytestmark = pytest.mark.vcrgen(name="same")

        class TestA:
            def test_one(self, shell):
                shell.run("a")

        class TestB:
            def test_two(self, shell):
                shell.run("b")
        """,
    )
    output = project.record()
    assert "2 errors" in output
    assert "two owners of one cassette: test_it.py::TestA::test_one and " in output
    assert "two owners of one cassette: test_it.py::TestB::test_two and " in output
    assert project.cassettes() == {}
