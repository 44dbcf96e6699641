"""Context managers of the environment, entered and left by the application."""

import pytest
from sample.bridges import RealConnection, RealLocks
from vcr_sample import VcrConnection, VcrLocks

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
    with pytest.raises(DivergenceError, match=r"manager\.exit"):
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
