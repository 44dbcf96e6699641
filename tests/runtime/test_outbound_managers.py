"""Context managers of the environment, entered and left by the application."""

import asyncio
from contextlib import asynccontextmanager

import anyio
import pytest
from sample.bridges import RealConnection, RealLocks
from vcr_sample import VcrConnection, VcrLocks

from vcr_gen import Cassette
from vcr_gen.errors import DivergenceError


@pytest.mark.parametrize("swallows", [True, False])
@pytest.mark.parametrize("error", [None, KeyError("k"), ValueError("v")])
def test_a_context_manager_enters_leaves_and_swallows_as_recorded(tape, swallows, error):
    def program(locks):
        seen = []
        try:
            with locks.lock("door", swallows) as value:
                seen.append(value)
                if error is not None:
                    raise type(error)(*error.args)
            seen.append("after")
        except (KeyError, ValueError) as caught:
            seen.append(repr(caught))
        return seen

    seen = tape.same(VcrLocks, RealLocks, program)
    passes = error is None or (swallows and isinstance(error, KeyError))
    assert seen == [4, "after" if passes else repr(error)]


@pytest.mark.parametrize("swallows", [True, False])
@pytest.mark.parametrize("error", [None, KeyError("k"), ValueError("v")])
def test_an_async_context_manager_enters_leaves_and_swallows_as_recorded(tape, swallows, error):
    async def program(locks):
        seen = []
        try:
            async with locks.alock("door", swallows) as value:
                seen.append(value)
                if error is not None:
                    raise type(error)(*error.args)
            seen.append("after")
        except (KeyError, ValueError) as caught:
            seen.append(repr(caught))
        return seen

    seen = tape.same(VcrLocks, RealLocks, program)
    passes = error is None or (swallows and isinstance(error, KeyError))
    assert seen == [4, "after" if passes else repr(error)]


def test_a_decorated_context_manager_method_replays(tape):
    def program(locks):
        with locks.guard("x") as value, pytest.raises(OSError, match="y"), locks.guard("y"):
            raise OSError("y")
        return value

    assert tape.same(VcrLocks, RealLocks, program) == "X"


def test_leaving_with_another_exception_than_recorded_is_a_divergence(tape):
    def program(locks, error=KeyError):
        with locks.lock("x", True):
            raise error("k")

    tape.record(VcrLocks, RealLocks, program)
    with pytest.raises(
        DivergenceError, match='ended with LookupError\\("k"\\); in the recording KeyError'
    ):
        tape.replay(VcrLocks, lambda locks: program(locks, LookupError))


def test_a_protocol_that_is_a_context_manager_replays(tape):
    def program(connection):
        with connection:
            raise KeyError("swallowed")

    def whole(connection):
        program(connection)
        with pytest.raises(ValueError, match="kept"), connection:
            raise ValueError("kept")
        return "after"

    assert tape.same(VcrConnection, RealConnection, whole) == "after"


def test_a_protocol_that_is_an_async_context_manager_replays(tape):
    async def program(connection):
        async with connection as value:
            raise KeyError("swallowed")
        return value

    assert tape.same(VcrConnection, RealConnection, program) == 5


def test_the_message_of_a_cancellation_is_not_compared_when_a_context_manager_is_left(tape):
    async def program(locks):
        async with locks.alock("house", False):
            with anyio.move_on_after(0.01) as scope:  # its message holds the address of the scope
                async with locks.alock("door", True):
                    with locks.lock("window", True):
                        await anyio.sleep_forever()
        return scope.cancelled_caught

    assert tape.same(VcrLocks, RealLocks, program)
    assert "cancel scope" not in tape.path.read_text("utf-8")


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_message_of_a_cancellation_is_not_compared_when_a_protocol_is_left(tape, backend):
    async def session(mode):
        with Cassette(tape.path, mode) as cassette:
            connection = VcrConnection.attach(cassette, RealConnection)
            with connection, anyio.move_on_after(0.01) as scope, connection:
                await anyio.sleep_forever()
            return scope.cancelled_caught

    assert anyio.run(session, "all", backend=backend)
    assert anyio.run(session, "none", backend=backend)
    assert "cancel scope" not in tape.path.read_text("utf-8")


def test_a_cancellation_in_a_group_has_no_message_either(tape):
    async def program(connection):
        async def leave():
            with connection:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError as error:
                    raise BaseExceptionGroup("two", [error, ValueError("kept")]) from None

        task = asyncio.create_task(leave())
        await asyncio.sleep(0.01)
        task.cancel(f"cancelled by {id(task):#x}")
        with pytest.raises(BaseExceptionGroup, match="two"):
            await task

    tape.same(VcrConnection, RealConnection, program)
    assert "cancelled by" not in tape.path.read_text("utf-8")


def test_a_scope_that_is_left_while_a_context_manager_is_left_is_cancelled_again(tape):
    class Slow(RealLocks):
        @asynccontextmanager
        async def alock(self, name, swallows):
            try:
                yield len(name)
            finally:
                with anyio.CancelScope(shield=True):
                    await anyio.sleep(0.002)

    async def program(locks):
        async with locks.alock("house", False):
            with anyio.move_on_after(0.01) as scope:
                async with locks.alock("door", False):
                    await anyio.sleep_forever()
        return scope.cancelled_caught

    assert tape.same(VcrLocks, Slow, program)
