"""Tests that run in several processes, and in any order."""

import pytest
from plugin_project import PluginProject
from test_plugin_unused import unused

pytest_plugins = ["pytester"]

XDIST = ("xdist.plugin",)
TESTS = """
    import pytest

    @pytest.mark.parametrize("number", range(12))
    def test_one(shell, number):
        assert shell.run(str(number)) == f"old {number}"

    @pytest.mark.xdist_group("together")
    def test_grouped(shell):
        assert shell.run("x")

    def test_dynamic(request):
        request.getfixturevalue("shell").run("dynamic")
    """


@pytest.fixture
def project(project: PluginProject) -> PluginProject:
    """Workers start from a process of their own."""
    return project.in_processes()


def test_workers_record_replay_and_find_what_nobody_uses(project: PluginProject) -> None:
    project.write("tests/test_it.py", TESTS)
    project.write("tests/test_gone.py", 'def test_gone(shell):\n    shell.run("a")\n')
    recorded = project.record("-n2", plugins=XDIST)
    assert "15 passed" in recorded
    assert "cassettes: 15 recorded" in recorded
    assert len(project.cassettes()) == 15
    replayed = project.run("-n2", "--dist=loadgroup", "--vcrgen-check-unused", plugins=XDIST)
    assert "cassettes: 15 replayed" in replayed
    assert "exit 0" in replayed
    (project.root / "tests/test_gone.py").unlink()
    project.write("tests/test_it.py", TESTS.replace("range(12)", "range(11)"))
    output = project.run("-n2", "--vcrgen-check-unused", plugins=XDIST)
    assert unused(output) == [
        "tests/cassettes/test_gone/test_gone.yaml",
        "tests/cassettes/test_it/test_one[11].yaml",
    ]
    assert "13 passed" in output
    assert "exit 1" in output


def test_failures_in_workers_are_told_as_in_one_process(project: PluginProject) -> None:
    project.write("test_it.py", TESTS)
    project.record("-n2", plugins=XDIST)
    project.write("test_it.py", TESTS.replace("str(number))", "f'{number}!')"))
    output = project.run("-n2", "--tb=short", plugins=XDIST)
    assert "12 failed, 2 passed" in output
    assert "cassettes: 2 replayed, 12 diverged" in output
    assert "record again: pytest --vcrgen-mode=all 'test_it.py::test_one[0]'" in output
    project.write("test_it.py", TESTS.replace("old {number}", "never {number}"))
    output = project.run("-n2", "--vcrgen-mode=all", plugins=XDIST, WORLD="new")
    assert "cassettes: 2 recorded, 12 not recorded" in output


def test_the_order_of_the_tests_does_not_matter(project: PluginProject) -> None:
    project.write("test_it.py", TESTS)
    project.write(
        "shuffle.py",
        """
        import random

        def pytest_collection_modifyitems(items):
            random.Random(7).shuffle(items)
        """,
    )
    project.record()
    output = project.run("--vcrgen-check-unused", "--strict-markers", plugins=("shuffle", *XDIST))
    assert "cassettes: 14 replayed" in output
    assert "exit 0" in output


def test_a_shared_cassette_is_not_recorded_in_parts(project: PluginProject) -> None:
    project.write(
        "test_it.py",
        """
        import pytest
        from app.real import RealShell
        from vcr_app import VcrShell

        @pytest.fixture(scope="module")
        def shared(vcrgen_module_cassette):
            return VcrShell.attach(vcrgen_module_cassette("shared"), RealShell)

        @pytest.mark.parametrize("number", range(3))
        def test_one(shared, number):
            shared.run(str(number))
        """,
    )
    refused = project.record("-n2", plugins=XDIST)
    assert "xdist runs the tests that share this cassette in several processes" in refused
    assert "hint: record without -n" in refused
    assert project.cassettes() == {}
    assert "3 passed" in project.record()
    assert list(project.cassettes()) == ["cassettes/test_it/shared.yaml"]
    assert "3 passed" in project.run("-n2", "--dist=loadfile", plugins=XDIST)
