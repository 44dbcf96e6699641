"""Hermetic replays by option, marker and fixture."""

import pytest
from plugin_project import PluginProject

pytest_plugins = ["pytester"]

LEAK = """
    from pathlib import Path

    import pytest

    from vcr_gen import Hermetic


    {}
    def test_leak(shell, tmp_path):
        Path("data.txt").read_text()
        assert shell.run("a") == "old a"
    """


@pytest.fixture
def leaking(project: PluginProject) -> PluginProject:
    project.write("data.txt", "data")
    project.write("test_leak.py", LEAK.format(""))
    assert "exit 0" in project.record("--vcrgen-hermetic")
    return project


def test_without_it_a_leak_passes(leaking: PluginProject) -> None:
    assert "exit 0" in leaking.run()


@pytest.mark.parametrize("option", ["--vcrgen-hermetic", "--vcrgen-hermetic=fail"])
def test_the_option_fails_a_leak(leaking: PluginProject, option: str) -> None:
    output = leaking.run(option)
    assert "HermeticError" in output
    assert "a file opened for reading" in output
    assert "test_leak.py:10 in test_leak" in output
    assert "exit 1" in output


def test_the_option_can_only_warn(leaking: PluginProject) -> None:
    output = leaking.run("--vcrgen-hermetic=warn")
    assert "HermeticWarning" in output
    assert "exit 0" in output


def test_the_option_wins_over_the_marker(leaking: PluginProject) -> None:
    leaking.write("test_leak.py", LEAK.format('@pytest.mark.vcrgen(hermetic="warn")'))
    assert "exit 0" in leaking.run()
    assert "exit 1" in leaking.run("--vcrgen-hermetic=fail")


def test_a_marker_can_allow(leaking: PluginProject) -> None:
    marker = '@pytest.mark.vcrgen(hermetic=Hermetic(files=("data.txt",)))'
    leaking.write("test_leak.py", LEAK.format(marker))
    assert "exit 0" in leaking.run()


def test_a_wrong_word_is_refused(leaking: PluginProject) -> None:
    leaking.write("test_leak.py", LEAK.format('@pytest.mark.vcrgen(hermetic="fial")'))
    output = leaking.run()
    assert "`hermetic` must be one of warn, fail; got 'fial'; did you mean `fail`?" in output
    assert "exit 1" in output


def test_an_honest_test_passes_with_everything_on(project: PluginProject) -> None:
    project.write(
        "test_honest.py",
        """
        import logging

        import pytest


        @pytest.mark.parametrize("word", ["a", "b"])
        def test_honest(shell, word, tmp_path, caplog, capsys, monkeypatch, recwarn):
            monkeypatch.setenv("SOMETHING", "else")
            logging.getLogger("x").warning("said")
            print(shell.run(word))
            assert capsys.readouterr().out == f"old {word}\\n"


        async def work(shell):
            return await shell.arun("a")


        def test_a_loop(shell):
            import asyncio

            assert asyncio.run(work(shell)) == "old a"
        """,
    )
    assert "exit 0" in project.record()
    output = project.in_processes().run("--vcrgen-hermetic=fail", "-n2", plugins=("xdist",))
    assert "exit 0" in output, output
