"""Who cancels an inbound call: its caller, or the application itself."""

import asyncio
import gc

import anyio
import pytest
from sample.application import Application
from tape_data import read_tape
from vcr_sample import VcrServer

from vcr_gen.errors import DivergenceError


class Impatient(Application):
    """Gives up on slow names by a timeout of its own, which cancels the task it runs in."""

    async def start(self, name: str, arguments: str = "") -> str:
        try:
            async with asyncio.timeout(0.02):
                return await super().start(name, arguments)
        except TimeoutError:
            self.log.append(("gave up", name))
            return "too slow"


def test_a_timeout_of_the_application_is_no_cancellation_by_its_caller(tape):
    async def environment(server):
        assert await server.start("a very long name") == "too slow"
        assert await server.start("x") == "X"

    log = tape.served(VcrServer, Impatient, environment)

    assert ("gave up", "a very long name") in log
    assert [entry for entry in read_tape(tape.path) if "cancel" in entry] == []


def test_calls_that_are_cancelled_with_all_other_tasks_at_the_end_are_cancelled_again(tape):
    async def environment(server):
        tasks = [asyncio.create_task(server.sleep()) for _ in range(12)]
        await server.start("meanwhile")
        assert not any(task.done() for task in tasks)  # asyncio.run cancels them, in any order

    log = tape.served(VcrServer, Application, environment)

    assert log.count("cancelled") == 12
    words = [
        word for entry in read_tape(tape.path) for word in ("cancel", "raised") if word in entry
    ]
    assert words.count("cancel") == words.count("raised") == 12


def test_a_scope_of_anyio_that_cancels_again_and_again_cancels_a_call_once(tape):
    async def environment(server):
        assert await server.start("x") == "X"
        for _ in range(5):
            with anyio.move_on_after(0.1) as scope:
                await server.sleep()
            assert scope.cancelled_caught
        assert await server.start("y") == "Y"

    log = tape.served(VcrServer, Application, environment)

    assert log.count("cancelled") == 5
    assert len([entry for entry in read_tape(tape.path) if "cancel" in entry]) == 5


def test_the_message_of_a_cancellation_is_not_the_application_s_answer(tape):
    async def environment(server):
        task = asyncio.create_task(server.sleep())
        await server.start("meanwhile")  # the application sleeps by the end of it
        task.cancel(f"cancelled by {id(task):#x}")
        with pytest.raises(asyncio.CancelledError, match="cancelled by 0x"):
            await task

    tape.served(VcrServer, Application, environment)


def test_a_divergence_in_a_driven_call_is_raised_once_and_logged_by_nobody(tape, caplog):
    async def environment(server):
        await server.start("one")

    class Changed(Application):
        async def start(self, name: str, arguments: str = "") -> str:
            await super().start(name, arguments)
            return "something else"

    tape.record_served(VcrServer, Application(), environment)
    with pytest.raises(DivergenceError, match="returned a different value"):
        tape.replay_served(VcrServer, Changed(), sync=False)
    gc.collect()

    assert caplog.record_tuples == []
