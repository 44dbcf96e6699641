"""Coroutine tests, as pytest-asyncio and anyio run them."""

import pytest
from plugin_project import PluginProject

pytest_plugins = ["pytester"]

TESTS = """
    import asyncio
    import os

    import pytest
    from app.real import RealShell
    from vcr_app import VcrShell

    from vcr_gen import DivergenceError

    WORD = os.environ.get("WORD", "a")
    {mark}

    @pytest.fixture(scope="module")
    def anyio_backend():
        return "asyncio"

    async def test_one(shell):
        assert await shell.arun(WORD) == f"old {{WORD}}"

    async def test_many(shell):
        words = [WORD, "b", "c"]
        assert await asyncio.gather(*map(shell.arun, words)) == [f"old {{word}}" for word in words]

    async def test_timers(shell):
        await asyncio.sleep(0.01)
        async with asyncio.timeout(5):
            await shell.arun("x")

    async def test_swallowed(shell):
        try:
            await shell.arun(WORD)
        except BaseException:
            raise ValueError("swallowed") from None

    async def test_expected(shell):
        if WORD == "a":
            await shell.arun(WORD)
        else:
            with pytest.raises(DivergenceError):
                await shell.arun(WORD)

    async def test_left_over(shell):
        if WORD == "a":
            await shell.arun(WORD)

    @{fixture}
    async def opened(shell):
        await shell.arun("open")
        yield shell
        await shell.arun("close")

    async def test_fixture(opened):
        await opened.arun("use")

    {sync_mark}
    def test_sync(shell):
        shell.run("x")
    """


@pytest.mark.parametrize(
    ("plugin", "arguments", "mark", "fixture"),
    [
        (
            "pytest_asyncio.plugin",
            ("--asyncio-mode=strict",),
            "pytestmark = pytest.mark.asyncio",
            "__import__('pytest_asyncio').fixture",
        ),
        ("pytest_asyncio.plugin", ("--asyncio-mode=auto",), "", "pytest.fixture"),
        ("anyio.pytest_plugin", (), "pytestmark = pytest.mark.anyio", "pytest.fixture"),
    ],
    ids=["asyncio_strict", "asyncio_auto", "anyio"],
)
def test_coroutine_tests_record_replay_and_diverge(
    project: PluginProject, plugin: str, arguments: tuple[str, ...], mark: str, fixture: str
) -> None:
    scope = ("-o", "asyncio_default_fixture_loop_scope=function") if arguments else ()
    project.write("test_it.py", TESTS.format(mark=mark, fixture=fixture, sync_mark=""))
    quiet = (*arguments, *scope, "-Wignore:The test:pytest.PytestWarning")
    recorded = project.record(*quiet, plugins=(plugin,))
    assert "8 passed" in recorded
    replayed = project.run(*quiet, plugins=(plugin,))
    assert "8 passed" in replayed
    assert "cassettes: 8 replayed" in replayed
    output = project.run(*quiet, "--tb=short", plugins=(plugin,), WORD="b")
    assert "4 failed, 4 passed" in output
    for failed in ("one", "many", "swallowed", "left_over"):
        assert f"FAILED test_it.py::test_{failed} - " in output
    assert "Shell.arun was called with other arguments than recorded" in output
    assert "vcr_gen/runtime/" not in output
    assert "never retrieved" not in output
    assert "INTERNALERROR" not in output
