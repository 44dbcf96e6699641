"""A test that waits, after a divergence, for a thread which that has ended."""

import os
import signal
import subprocess
import sys
import time

import pytest
from plugin_project import PluginProject

pytest_plugins = ["pytester"]

TESTS = """
    import os
    import queue
    import threading

    import pytest
    from app.logic import ask

    @pytest.fixture
    def vcrgen_options():
        return {"patience": float(os.environ.get("PATIENCE", "0.3"))}

    def wait_for_a_thread(shell):
        answers = queue.Queue()
        word = os.environ.get("WORD", "a")
        work = threading.Thread(target=lambda: answers.put(ask(shell, word)), daemon=True)
        work.start()
        print("waiting", flush=True)
        return answers.get()

    def test_waits(shell):
        wait_for_a_thread(shell)

    def test_next():
        pass
    """

PHASES = """
    @pytest.fixture
    def early(shell):
        return wait_for_a_thread(shell)

    @pytest.fixture
    def late(shell):
        yield
        wait_for_a_thread(shell)

    @pytest.fixture
    def other(vcrgen_cassette):
        return 1

    def test_whose_fixture_waits(early):
        pass

    def test_whose_fixture_waits_at_its_end(late):
        pass

    def test_that_waits_after_another_fixture(shell, request):
        request.getfixturevalue("other")
        wait_for_a_thread(shell)

    def test_last():
        pass
    """


@pytest.fixture
def project(project: PluginProject) -> PluginProject:
    """A stuck test is ended by an interrupt of its process, which must not be ours."""
    return project.in_processes()


def test_it_fails_with_the_divergence_in_every_phase_and_the_next_one_runs(
    project: PluginProject,
) -> None:
    project.write("test_it.py", TESTS + PHASES)
    assert "6 passed" in project.record()
    output = project.run("-W", "ignore", WORD="b")
    error = "Shell.run was called with different arguments"
    assert f"FAILED test_it.py::test_waits - {error}" in output
    assert f"ERROR test_it.py::test_whose_fixture_waits - {error}" in output
    assert f"ERROR test_it.py::test_whose_fixture_waits_at_its_end - {error}" in output
    assert f"FAILED test_it.py::test_that_waits_after_another_fixture - {error}" in output
    assert "2 failed, 3 passed, 2 errors" in output
    assert "exit 1" in output


ASYNCHRONOUS = """
    import asyncio

    @pytest.mark.asyncio
    async def test_that_blocks_its_loop(shell):
        wait_for_a_thread(shell)

    @pytest.mark.asyncio
    async def test_whose_loop_waits_for_a_thread(shell):
        loop = asyncio.get_running_loop()
        answer = loop.create_future()
        word = os.environ.get("WORD", "a")

        def work():
            said = ask(shell, word)
            loop.call_soon_threadsafe(answer.set_result, said)

        threading.Thread(target=work, daemon=True).start()
        await answer

    def test_that_catches_everything(shell):
        while True:
            try:
                wait_for_a_thread(shell)
                break
            except BaseException:
                pass
    """


def test_so_does_one_that_blocks_its_loop_or_catches_everything(project: PluginProject) -> None:
    project.write("test_it.py", TESTS + ASYNCHRONOUS)
    plugins = ("pytest_asyncio.plugin",)
    assert "5 passed" in project.record(plugins=plugins)
    output = project.run("-W", "ignore", plugins=plugins, WORD="b")
    for name in ("blocks_its_loop", "catches_everything"):
        assert f"FAILED test_it.py::test_that_{name} - " in output
    assert "FAILED test_it.py::test_whose_loop_waits_for_a_thread - " in output
    assert "4 failed, 1 passed" in output
    assert "exit 1" in output


def test_an_interrupt_of_the_user_stops_the_run(project: PluginProject) -> None:
    project.write("test_it.py", TESTS)
    project.record()
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-W", "ignore", "test_it.py"]
    environment = {**os.environ, "WORD": "b", "PATIENCE": "60"}
    with subprocess.Popen(
        command, cwd=project.root, env=environment, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        while "waiting" not in running.stdout.readline():
            pass
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        output = running.stdout.read()
    assert running.returncode == pytest.ExitCode.INTERRUPTED
    assert "1 passed" not in output
