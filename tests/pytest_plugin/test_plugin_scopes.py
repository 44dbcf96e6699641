"""Cassettes that several tests share on purpose."""

from plugin_project import PluginProject

pytest_plugins = ["pytester"]

CONFTEST = """
    import os

    import pytest
    from app.real import RealShell
    from vcr_app import VcrShell

    WORD = os.environ.get("WORD", "a")

    @pytest.fixture(scope="session")
    def login(vcrgen_session_cassette):
        cassette = vcrgen_session_cassette("login", initial_state={"user": "ada"})
        assert vcrgen_session_cassette("login") is cassette
        assert cassette.initial_state == {"user": "ada"}
        return VcrShell.attach(cassette, RealShell).run("login")

    @pytest.fixture(scope="module")
    def shared(vcrgen_module_cassette):
        return VcrShell.attach(vcrgen_module_cassette(), RealShell)
    """
TESTS = """
    from app.logic import swallow
    from conftest import WORD

    def test_one(shared, login):
        assert shared.run("one") and login == "old login"

    def test_two(shared):
        swallow(shared, WORD)

    def test_three(shared):
        shared.run("three")
    """


def test_module_and_session_cassettes_are_closed_with_their_scope(project: PluginProject) -> None:
    project.write("conftest.py", CONFTEST)
    project.write("tests/test_a.py", TESTS)
    project.write("tests/test_b.py", TESTS)
    assert "cassettes: 3 recorded" in project.record()
    assert list(project.cassettes()) == [
        "cassettes/login.yaml",
        "tests/cassettes/test_a/module.yaml",
        "tests/cassettes/test_b/module.yaml",
    ]
    replayed = project.run("--vcrgen-check-unused")
    assert "6 passed" in replayed
    assert "cassettes: 3 replayed" in replayed
    left = project.run("tests/test_a.py::test_one")
    assert "1 passed, 1 error" in left
    assert "recorded events were not used" in left
    told = "module.yaml is shared by all tests of tests/test_a.py: run them all, in the recorded"
    assert told in left
    alone = project.run("tests/test_a.py::test_three")
    assert told in alone
    assert "record again: pytest --vcrgen-mode=all tests/test_a.py\n" in alone


def test_a_factory_takes_the_options_of_the_marker_and_refuses_others(
    project: PluginProject,
) -> None:
    project.write(
        "test_it.py",
        """
        from app.real import RealShell
        from vcr_app import VcrShell
        from vcr_gen import Rule
        from vcr_gen.boundary import Volatile

        def test_rules(vcrgen_module_cassette):
            rules = [Rule("Shell.run", "command", Volatile)]
            cassette = vcrgen_module_cassette(rules=rules, order="lanes")
            VcrShell.attach(cassette, RealShell).run("a")

        def test_typo(vcrgen_module_cassette):
            vcrgen_module_cassette("other", odrer="lanes")
        """,
    )
    output = project.record()
    assert "1 failed, 1 passed" in output
    assert "vcrgen_module_cassette: unknown option `odrer`; did you mean `order`?" in output


def test_a_divergence_fails_the_test_in_which_it_happens(project: PluginProject) -> None:
    project.write("conftest.py", CONFTEST)
    project.write("test_a.py", TESTS)
    project.record()
    output = project.run("--tb=short", WORD="b")
    assert (
        "FAILED test_a.py::test_two - Shell.run was called with different arguments: command\n"
        in output
    )
    assert (
        "FAILED test_a.py::test_three - Shell.run was called with different arguments: command\n"
        in output
    )
    assert "2 failed, 1 passed in" in output


def test_one_failing_test_keeps_the_shared_cassette_as_it_was(project: PluginProject) -> None:
    project.write("conftest.py", CONFTEST)
    project.write("test_a.py", TESTS)
    project.record()
    before = project.cassettes()
    project.write("test_a.py", TESTS.replace('shared.run("three")', "assert False"))
    output = project.run("--vcrgen-mode=all", WORLD="old")
    assert "1 not recorded" in output
    assert before["cassettes/test_a/module.yaml"] == (
        project.cassettes()["cassettes/test_a/module.yaml"]
    )
