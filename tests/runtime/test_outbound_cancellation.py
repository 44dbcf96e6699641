"""Calls of the environment that the application cancels, and that are answered all the same."""

import asyncio
import contextlib

import anyio
import pytest
import uvloop
from sample.bridges import RealFeed, RealShell
from sample.models import Result
from tape_data import read_tape
from vcr_sample import VcrFeed, VcrShell

from vcr_gen import Cassette
from vcr_gen.errors import DivergenceError


class Answering(RealShell):
    """Hears of a cancellation, and has something to say nevertheless."""

    async def arun(self, name, delay=0.0):
        try:
            await anyio.sleep(5)
        except anyio.get_cancelled_exc_class():
            match name:
                case "partial":
                    return Result(1, "partial")
                case "late":
                    with anyio.CancelScope(shield=True):
                        await anyio.sleep(0.005)
                    return Result(2, "late")
                case "other":
                    raise ConnectionError("stopped") from None
            raise


async def cancelled_runs(shell):
    seen = []
    for name in ("plain", "partial", "late", "other"):
        task = asyncio.create_task(shell.arun(name))
        await asyncio.sleep(0.01)
        task.cancel()
        seen.append(repr((await asyncio.gather(task, return_exceptions=True))[0]))
    return seen


def words(path):
    return [
        word
        for entry in read_tape(path)
        for word in ("cancel", "cancelled", "returned", "raised")
        if word in entry
    ]


def test_the_answer_to_a_cancellation_is_given_again(tape):
    seen = tape.same(VcrShell, Answering, cancelled_runs)

    assert "CancelledError" in seen[0]
    assert ["partial" in seen[1], "late" in seen[2]] == [True, True]
    assert seen[3] == "ConnectionError('stopped')"
    ends = ["cancelled", "cancel", "returned", "cancel", "returned", "cancel", "raised"]
    assert words(tape.path) == ends


def test_the_answer_to_a_cancellation_is_given_again_on_uvloop(tape):
    async def session(mode):
        with Cassette(tape.path, mode) as cassette:
            return await cancelled_runs(VcrShell.attach(cassette, Answering))

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        recorded = runner.run(session("all"))
        assert runner.run(session("none")) == recorded


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_answer_to_a_scope_that_is_cancelled_is_given_again(tape, backend):
    async def session(mode):
        seen = []
        with Cassette(tape.path, mode) as cassette:
            shell = VcrShell.attach(cassette, Answering)
            shell.tell("begin")
            for name in ("plain", "partial", "late", "other"):
                with anyio.move_on_after(0.01) as scope, contextlib.suppress(ConnectionError):
                    seen.append((await shell.arun(name)).out)
                seen.append(scope.cancel_called)
        return seen

    recorded = anyio.run(session, "all", backend=backend)
    assert recorded == [True, "partial", True, "late", True, True]
    assert anyio.run(session, "none", backend=backend) == recorded


def test_a_stream_that_answers_a_cancellation_with_an_item_does_so_again(tape):
    class Feed:
        def __aiter__(self):
            return self

        async def __anext__(self):
            try:
                await asyncio.sleep(5)
            except asyncio.CancelledError:
                return "so far"
            raise StopAsyncIteration

    class Answers(RealFeed):
        def alines(self, name):
            return Feed()

    async def program(feed):
        async def read():
            return await anext(feed.alines("x"))

        task = asyncio.create_task(read())
        await asyncio.sleep(0.01)
        task.cancel()
        return await task

    assert tape.same(VcrFeed, Answers, program) == "so far"


def test_a_call_that_was_cancelled_and_answered_must_be_cancelled_again(tape):
    async def program(shell, patience=0.01):
        task = asyncio.create_task(shell.arun("partial"))
        await asyncio.sleep(patience)
        if patience:
            task.cancel()
        return await task

    tape.record(VcrShell, Answering, program)
    with pytest.raises(DivergenceError, match=r"Shell\.arun was cancelled in the recording, but"):
        tape.replay(VcrShell, lambda shell: program(shell, 0))


def test_an_exception_that_is_thrown_back_while_a_task_is_cancelled_is_no_cancellation(tape):
    async def program(feed):
        async def work():
            talk = feed.atalk(1)
            await anext(talk)
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError as error:
                with contextlib.suppress(asyncio.CancelledError):
                    await talk.athrow(error)
                return "thrown back"

        task = asyncio.create_task(work())
        await asyncio.sleep(0.2)  # on a busy machine too, it is in the wait by then
        task.cancel("by the test")
        return await task

    assert tape.same(VcrFeed, RealFeed, program) == "thrown back"


def test_a_scope_of_anyio_that_was_there_before_the_first_call_comes_to_its_end(tape):
    async def program(shell):
        with anyio.move_on_after(0.05) as scope:
            shell.tell("begin")
            await anyio.sleep_forever()
        return scope.cancelled_caught

    assert tape.same(VcrShell, RealShell, program)


def test_a_bridge_whose_own_task_group_fails_was_not_cancelled(tape):
    class Grouped(RealShell):
        async def arun(self, name, delay=0.0):
            async def fail():
                await asyncio.sleep(0.001)
                raise ValueError(name)

            async with asyncio.TaskGroup() as group:
                group.create_task(fail())
                group.create_task(asyncio.sleep(5))

    async def program(shell):
        with pytest.raises(ExceptionGroup) as caught:
            await shell.arun("odd")
        return repr(caught.value)

    assert "ValueError('odd')" in tape.same(VcrShell, Grouped, program)
    assert tape.words() == ["call"]


class Patient(RealFeed):
    """Gives streams that are no generators, and go on when who read them was cancelled."""

    closed = False

    def alines(self, name):
        feed, letters = self, iter(name)

        class Lines:
            def __aiter__(self):
                return self

            async def __anext__(self):
                await anyio.sleep(60 if (letter := next(letters, "")) == "." else 0)
                if not letter:
                    raise StopAsyncIteration
                return letter

            async def aclose(self):
                feed.closed = True

        return Lines()


@pytest.mark.parametrize("loop_factory", [None, uvloop.new_event_loop])
def test_a_stream_that_goes_on_after_a_time_out_does_so_in_a_recording_and_again(
    tape, loop_factory
):
    async def program(feed):
        lines, seen = feed.alines("ab..c"), []
        while True:
            try:
                seen.append(await asyncio.wait_for(anext(lines), 0.1))
            except TimeoutError:
                seen.append("time-out")
            except StopAsyncIteration:
                return seen

    async def session(mode, real):
        with Cassette(tape.path, mode) as cassette:
            return await program(VcrFeed.attach(cassette, lambda: real))

    real = Patient()
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        plain = runner.run(program(Patient()))
        assert runner.run(session("all", real)) == plain == ["a", "b", *["time-out"] * 2, "c"]
        assert not real.closed
        assert runner.run(session("none", None)) == plain
    assert tape.words() == ["call", "item", "item", "left", "left", "item", "end"]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_stream_that_goes_on_after_a_scope_was_cancelled_does_so_again(tape, backend):
    async def session(mode):
        seen = []
        with Cassette(tape.path, mode) as cassette:
            lines = VcrFeed.attach(cassette, Patient).alines("a.b")
            for _ in range(3):
                with anyio.move_on_after(0.5):
                    seen.append(await anext(lines))
        return seen

    assert anyio.run(session, "all", backend=backend) == ["a", "b"]
    assert anyio.run(session, "none", backend=backend) == ["a", "b"]


def test_an_item_whose_reader_is_cancelled_before_its_turn_is_the_next_ones(tape):
    class Ready(Patient):
        def alines(self, name):
            lines = super().alines(name)

            async def at_once():
                return next(letters)

            letters = iter(name)
            lines.__class__.__anext__ = lambda _: at_once()
            return lines

    async def program(feed):
        lines = feed.alines("ab")
        reader = asyncio.create_task(_read(lines))
        await asyncio.sleep(0)
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
        return reader.cancelled(), await anext(lines), await anext(lines)

    assert tape.same(VcrFeed, Ready, program) == (True, "a", "b")


async def _read(lines):
    return await anext(lines)


def test_a_reader_that_is_no_longer_cancelled_is_told(tape):
    async def program(feed, patience):
        lines = feed.alines("a.b")
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(anext(lines), 1)
            await asyncio.wait_for(anext(lines), patience)
        return await anext(lines)

    assert tape.record(VcrFeed, Patient, lambda feed: program(feed, 0.1)) == "b"
    with pytest.raises(DivergenceError, match=r"Feed\.alines was cancelled in the recording, but"):
        tape.replay(VcrFeed, lambda feed: program(feed, None))
