"""Cassettes that no test has."""

import re

from plugin_project import PluginProject

pytest_plugins = ["pytester"]

TESTS = """
    import pytest

    def test_one(shell):
        shell.run("a")

    @pytest.mark.parametrize("word", ["x", "y"])
    def test_two(shell, word):
        shell.run(word)

    class TestIt:
        def test_three(self, shell):
            shell.run("a")

    def test_four(request):
        request.getfixturevalue("shell").run("dynamic")
    """


def unused(output: str) -> list[str]:
    """The files that the summary lists."""
    found = re.search(r"^unused: no test has this cassette:\n((?:  .*\n)+)", output, re.MULTILINE)
    return [line.strip() for line in found[1].splitlines()] if found else []


def test_every_used_cassette_is_known_however_the_tests_are_selected(
    project: PluginProject,
) -> None:
    project.write("test_it.py", TESTS)
    project.record()
    for selection in ((), ("-k", "one"), ("test_it.py::TestIt",)):
        output = project.run("--vcrgen-check-unused", *selection)
        assert unused(output) == []
        assert "exit 0" in output


def test_the_last_failures_alone_replay_and_nothing_else_counts_as_unused(
    project: PluginProject,
) -> None:
    project.write("test_it.py", TESTS)
    project.write("test_more.py", 'def test_more(shell):\n    shell.run("a")\n')
    project.record()
    project.write("test_it.py", TESTS.replace('run("a")', 'run("b")'))
    assert "2 failed, 4 passed" in project.run()
    project.write("test_it.py", TESTS)
    output = project.run("--lf", "--vcrgen-check-unused")
    assert "2 passed" in output
    assert "cassettes: 2 replayed\n" in output
    assert "exit 0" in output


def test_cassettes_of_tests_that_are_gone_fail_the_run(project: PluginProject) -> None:
    project.write("test_it.py", TESTS)
    project.write("test_gone.py", 'def test_gone(shell):\n    shell.run("a")\n')
    project.record()
    project.write("cassettes/test_it/other.yaml", "interactions: []\nversion: 1\n")
    (project.root / "test_gone.py").unlink()
    project.write("test_it.py", TESTS.replace('["x", "y"]', '["x"]').replace("_three", "_drei"))
    project.record("-k", "drei")
    output = project.run("--vcrgen-check-unused")
    assert unused(output) == [
        "cassettes/test_gone/test_gone.yaml",
        "cassettes/test_it/TestIt.test_three.yaml",
        "cassettes/test_it/test_two[y].yaml",
    ]
    assert "4 passed" in output
    assert "exit 1" in output
    assert "exit 0" in project.run()


def test_nothing_is_judged_where_it_cannot_be_known(project: PluginProject) -> None:
    project.write("test_it.py", TESTS)
    project.record()
    project.write("test_it.py", TESTS.replace("test_one", "test_eins"))
    # test_four asks for its cassette while it runs: without it, nobody knows what is used.
    assert unused(project.run("--vcrgen-check-unused", "-k", "two")) == []
    assert unused(project.run("--vcrgen-check-unused", "test_it.py::TestIt")) == []
    assert unused(project.run("--vcrgen-check-unused", "-k", "not eins")) == [
        "cassettes/test_it/test_one.yaml"
    ]
