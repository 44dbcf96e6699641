"""How a divergence shows in a test run."""

from plugin_project import PluginProject, generate

pytest_plugins = ["pytester"]

HEADLINE = "Shell.run was called with different arguments"


def test_a_divergence_fails_the_test_with_our_text_and_user_frames_alone(
    project: PluginProject,
) -> None:
    project.write(
        "test_it.py",
        """
        import os

        from app.logic import ask

        def test_one(shell):
            ask(shell, os.environ.get("WORD", "a"))
        """,
    )
    project.record()
    output = project.run("--tb=short", WORD="b")
    assert f"E   vcr_gen.errors.DivergenceError: {HEADLINE}" in output
    assert "called at" in output
    assert '- "a"' in output
    assert f"FAILED test_it.py::test_one - {HEADLINE}: command" in output
    assert "record again: pytest --vcrgen-mode=all test_it.py::test_one" in output
    assert "cassettes: 1 diverged" in output
    frames = [line for line in output.splitlines() if ".py:" in line and ": in " in line]
    assert frames == ["test_it.py:6: in test_one", "app/logic.py:2: in ask"]
    native = project.run("--tb=native", WORD="b")
    assert "vcr_gen/runtime" not in native
    assert "generated/vcr_app" not in native
    assert "vcr_gen/runtime" in project.run("--full-trace", WORD="b")


def test_what_the_application_swallows_fails_the_test_and_what_a_test_expects_does_not(
    project: PluginProject,
) -> None:
    project.write(
        "test_it.py",
        """
        import os
        import unittest

        import pytest
        from app.logic import ask, swallow
        from app.real import RealShell
        from vcr_app import VcrShell

        from vcr_gen import DivergenceError

        WORD = os.environ.get("WORD", "a")

        def test_swallowed(shell):
            swallow(shell, WORD)

        def test_swallowed_and_failing(shell):
            assert swallow(shell, WORD) == "old a"

        def test_expected(shell):
            if WORD == "a":
                ask(shell, WORD)
                return
            with pytest.raises(DivergenceError, match="different arguments") as caught:
                ask(shell, WORD)
            assert caught.value.divergence.method == "run"

        def test_left_over(shell):
            if WORD == "a":
                ask(shell, WORD)

        def test_left_over_with_a_teardown_that_calls(closing):
            pass

        @pytest.fixture
        def closing(shell):
            yield shell
            shell.run("close")

        @pytest.mark.usefixtures("vcrgen_cassette")
        class TestOld(unittest.TestCase):
            def setUp(self):
                self.shell = VcrShell.attach(self.vcrgen_cassette, RealShell)

            def test_plain(self):
                self.shell.run(WORD)

            def test_swallowed(self):
                swallow(self.shell, WORD)

            def tearDown(self):
                self.shell.run("down")
        """,
    )
    assert "7 passed" in project.record()
    assert "7 passed" in project.run()
    output = project.run("--tb=short", WORD="b")
    assert "5 failed, 2 passed in" in output
    for failed in ("test_swallowed ", "test_swallowed_and_failing", "TestOld::test_plain"):
        assert f"FAILED test_it.py::{failed.strip()} - {HEADLINE}" in output
    assert "FAILED test_it.py::test_left_over - 1 recorded event was not used\n" in output
    assert "1 recorded event was not used" in output
    assert "E   AssertionError: assert 'nothing' == 'old a'" in output
    assert ": in _fail" not in output


def test_a_divergence_in_a_fixture_is_an_error_and_disturbs_no_other_test(
    project: PluginProject,
) -> None:
    project.write(
        "test_it.py",
        """
        import os

        import pytest

        WORD = os.environ.get("WORD", "a")

        @pytest.fixture
        def noted():
            yield
            print("noted is torn down")

        @pytest.fixture
        def opened(shell):
            shell.run(f"open {WORD}")
            yield shell

        @pytest.fixture
        def closed(shell):
            yield shell
            shell.run(f"close {WORD}")

        def test_setup(noted, opened):
            pass

        def test_setup_again(noted, opened):
            pass

        def test_teardown(noted, closed):
            pass

        def test_other(noted, shell):
            shell.run("x")
        """,
    )
    project.record()
    output = project.run("--tb=short", "-s", WORD="b")
    assert "2 passed, 3 errors" in output
    assert output.count("noted is torn down") == 4
    assert output.count(f"E   vcr_gen.errors.DivergenceError: {HEADLINE}") == 3
    assert output.count("record again: pytest --vcrgen-mode=all test_it.py::test_") == 3
    assert "engine.py" not in output
    assert "cassettes: 1 replayed, 3 diverged" in output


def test_a_divergence_is_told_once_though_the_teardown_meets_it_again(
    project: PluginProject,
) -> None:
    project.write(
        "test_it.py",
        """
        import os

        import pytest

        @pytest.fixture
        def opened(shell):
            yield shell
            shell.run("close")

        def test_one(opened):
            opened.run(os.environ.get("WORD", "a"))
        """,
    )
    project.record()
    output = project.run("--tb=short", WORD="b")
    assert "1 failed in" in output
    assert output.count("differences (- recorded, + actual)") == 1


def test_a_plain_cassette_in_a_test_shows_user_frames_alone(project: PluginProject) -> None:
    project.write(
        "test_it.py",
        """
        import os

        from app.logic import ask
        from app.real import RealShell
        from vcr_app import VcrShell
        from vcr_gen import Cassette

        WORD = os.environ.get("WORD", "a")

        def test_diverges():
            with Cassette("one.yaml", "once") as cassette:
                ask(VcrShell.attach(cassette, RealShell), WORD)

        def test_leaves():
            with Cassette("two.yaml", "once") as cassette:
                shell = VcrShell.attach(cassette, RealShell)
                if WORD == "a":
                    ask(shell, WORD)

        def test_has_none():
            if WORD != "a":
                Cassette("three.yaml", "none")
        """,
    )
    assert "3 passed" in project.run(WORLD="old")
    output = project.run("--tb=short", WORD="b")
    assert "3 failed" in output
    frames = [line for line in output.splitlines() if ".py:" in line and ": in " in line]
    assert [frame.rpartition(" ")[2] for frame in frames] == [
        "test_diverges",
        "ask",
        "test_leaves",
        "test_has_none",
    ]
    for test in ("test_diverges", "test_leaves"):
        assert f"VCR_RECORD=1 pytest test_it.py::{test}" in output
    assert 'mode="all" and run pytest test_it.py::test_has_none' in output


def test_a_cassette_that_is_asked_for_while_the_test_runs_works_the_same(
    project: PluginProject,
) -> None:
    project.write(
        "test_it.py",
        """
        import os

        import pytest

        from app.logic import swallow
        from vcr_gen import DivergenceError

        WORD = os.environ.get("WORD", "a")

        def test_one(request):
            swallow(request.getfixturevalue("shell"), WORD)

        def test_two(request):
            shell = request.getfixturevalue("shell")
            if WORD == "a":
                shell.run(WORD)
            else:
                with pytest.raises(DivergenceError):
                    shell.run(WORD)

        def test_three(request):
            swallow(request.getfixturevalue("shell"), WORD)
        """,
    )
    assert "cassettes: 3 recorded" in project.record()
    assert "cassettes: 3 replayed" in project.run()
    output = project.run(WORD="b")
    assert "1 failed, 2 passed, 1 error in" in output  # the first one comes to light at teardown
    assert f"FAILED test_it.py::test_three - {HEADLINE}" in output
    assert "ERROR test_it.py::test_one - " in output


STORES = """
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from contextlib import contextmanager
from typing import Any, BinaryIO, Protocol

from vcr_gen.boundary import outbound


@outbound
class Cursor(Protocol):
    def run(self, query: str) -> None: ...
    def __enter__(self) -> "Cursor": ...
    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None: ...


@outbound
class Store(Protocol):
    def plain(self) -> AbstractContextManager[Cursor]: ...
    def awaited(self) -> AbstractAsyncContextManager[Cursor]: ...
    def cursor(self) -> Cursor: ...
    def file(self) -> BinaryIO: ...


class RealCursor:
    def run(self, query):
        pass

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        pass


class RealStore:
    @contextmanager
    def plain(self):
        yield RealCursor()

    @asynccontextmanager
    async def awaited(self):
        yield RealCursor()

    def cursor(self):
        return RealCursor()

    def file(self):
        return open(__file__, "rb")
"""


def test_a_divergence_in_a_block_shows_the_call_that_differs(project: PluginProject) -> None:
    project.write("app/stores.py", STORES)
    project.write(
        "test_it.py",
        """
        import asyncio
        import os

        import pytest

        from app.stores import RealStore
        from vcr_app import VcrStore

        WORD = os.environ.get("WORD", "a")

        @pytest.fixture
        def store(vcrgen_cassette):
            return VcrStore.attach(vcrgen_cassette, RealStore)

        def test_plain(store):
            with store.plain() as cursor:
                cursor.run(WORD)

        def test_awaited(store):
            async def use():
                async with store.awaited() as cursor:
                    cursor.run(WORD)
            asyncio.run(use())

        def test_own(store):
            with store.cursor() as cursor:
                cursor.run(WORD)

        def test_file(store):
            with store.file() as file:
                store.cursor().run(WORD)

        @pytest.mark.vcrgen(order="lanes", leftovers=True)
        def test_refused(store):
            with store.plain() as cursor:
                cursor.run(WORD)
        """,
    )
    generate(project.root)
    assert "5 passed" in project.record()
    output = project.run("--tb=short", WORD="b")
    assert "5 failed in" in output
    assert output.count("E   vcr_gen.errors.DivergenceError: Cursor.run was called") == 5
    frames = [line for line in output.splitlines() if ".py:" in line and ": in " in line]
    assert [frame.removeprefix("test_it.py:").partition(":")[0] for frame in frames] == [
        *("17", "23", "22", "27", "31", "36")
    ]


def test_the_summary_begins_with_what_differs_also_without_our_fixtures(
    project: PluginProject,
) -> None:
    project.write(
        "test_it.py",
        """
        from app.real import RealShell
        from vcr_app import VcrShell
        from vcr_gen import Cassette

        def test_missing(vcrgen_cassette):
            pass

        def test_without_fixture(tmp_path):
            for mode, word in [("all", "a"), ("none", "b")]:
                with Cassette(tmp_path / "tape.yaml", mode) as cassette:
                    VcrShell.attach(cassette, RealShell).run(word)
        """,
    )
    output = project.run(WORLD="old")
    missing = "there is no cassette, and mode 'none' does not record"
    assert f"ERROR test_it.py::test_missing - {missing}\n" in output
    assert f"FAILED test_it.py::test_without_fixture - {HEADLINE}: command\n" in output
