"""Coroutine tests, as pytest-asyncio and anyio run them."""

import pytest
from plugin_project import PluginProject, generate

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
    assert "Shell.arun was called with different arguments" in output
    assert "vcr_gen/runtime/" not in output
    assert "never retrieved" not in output
    assert "INTERNALERROR" not in output


def test_a_value_that_cannot_be_read_is_told_and_not_what_came_of_it(
    project: PluginProject,
) -> None:
    project = project.in_processes()  # a class lives on in ours, and would be found
    project.write(
        "app/doors.py",
        """
        from collections.abc import AsyncIterator
        from typing import Protocol

        from vcr_gen.boundary import inbound, outbound


        @inbound
        class Door(Protocol):
            def talk(self) -> AsyncIterator[str]: ...


        @outbound
        class Model(Protocol):
            def words(self, last: bool) -> AsyncIterator[str]: ...
        """,
    )
    project.write(
        "test_it.py",
        """
        import asyncio

        from vcr_app import VcrDoor, VcrModel
        from vcr_gen import Driver

        class Busy(Exception):
            pass

        class BusyModel:
            async def words(self, last):
                if not last:
                    raise Busy
                yield "word"

        class Application:
            def __init__(self, model):
                self.model = model

            async def talk(self):
                try:
                    async for word in self.model.words(False):
                        yield word
                except Busy:
                    async for word in self.model.words(True):
                        yield word

        async def session(cassette):
            application = Application(VcrModel.attach(cassette, BusyModel))
            door = VcrDoor(cassette=cassette, inner=application)
            if cassette.calls_real:
                assert ["word"] == [word async for word in door.talk()]
                assert ["word"] == [word async for word in door.talk()]
            else:
                await Driver(cassette, door).run()

        def test_one(vcrgen_cassette):
            asyncio.run(session(vcrgen_cassette))
        """,
    )
    generate(project.root)
    assert "1 recorded" in project.record()
    assert "1 replayed" in project.run()
    project.write("test_it.py", (project.root / "test_it.py").read_text().replace("Busy", "Full"))
    said = project.run()
    assert "test_it.Busy" in said
    assert "FAILED test_it.py::test_one - Model.words: exception: expected a loaded type" in said
    assert "DivergenceError" not in said
