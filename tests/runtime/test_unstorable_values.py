"""Values that a replay can neither store nor read: told as what they are, whoever catches it."""

import asyncio
import contextlib
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from sample.application import Application
from sample.bridges import RealBus, RealLocks, RealShell
from vcr_sample import VcrBus, VcrLocks, VcrServer, VcrShell

from vcr_gen import Cassette, Driver
from vcr_gen.errors import DecodeError, EncodeError, IncompleteError


class Odd:
    """Nothing can store it."""

    def __init__(self):
        self.lock = threading.Lock()


@dataclass
class Listening:
    listener: Callable[[str], None]


def session(path, mode, program):
    with Cassette(path, mode) as cassette:
        program(
            VcrShell.attach(cassette, RealShell),
            VcrLocks.attach(cassette, RealLocks),
            VcrBus.attach(cassette, RealBus),
        )


def test_one_in_the_block_of_a_context_manager_is_no_other_exit(tape):
    def program(shell, locks, _bus, value=1):
        with locks.lock("door", False):
            shell.store([value])

    session(tape.path, "all", program)
    with pytest.raises(EncodeError, match=r"Shell\.store: argument `values`.*\n.*register a codec"):
        session(tape.path, "none", lambda *them: program(*them, Odd()))


def test_a_function_where_none_is_declared_says_how_to_declare_it(tape):
    def program(shell, _locks, _bus):
        with contextlib.suppress(EncodeError):
            shell.store([lambda number: number + 1])

    with pytest.raises(IncompleteError) as caught:
        session(tape.path, "all", program)
    (failure,) = caught.value.failures
    assert str(failure) == (
        "Shell.store: argument `values`[0]: cannot store a value of type function\n"
        "hint: if the environment calls it back, declare it as `Callable[[int], int]`, with the "
        "types of the function; if it does not matter, mark it: Annotated[…, Unrecorded]"
    )


def test_a_callback_where_no_type_tells_of_it_is_not_given_away_unnoticed(tape):
    def program(shell, _locks, _bus):
        with contextlib.suppress(EncodeError):
            shell.store([Listening(print)])

    with pytest.raises(IncompleteError) as caught:
        session(tape.path, "all", program)
    (failure,) = caught.value.failures
    assert failure.path == "Shell.store: argument `values`[0].listener"
    assert "Callable[…]" in failure.hint


def test_an_exception_with_one_that_leaves_a_block_is_told_with_where_it_was_raised(tape):
    def program(_shell, locks, _bus, *, fails=False):
        with locks.lock("door", False):
            if fails:
                raise LookupError(Odd())

    session(tape.path, "all", program)
    with pytest.raises(EncodeError, match="argument `exception`") as caught:
        session(tape.path, "none", lambda *them: program(*them, fails=True))
    (note,) = caught.value.__notes__
    assert re.fullmatch(r"the LookupError was raised at .*values\.py:\d+ in program", note)


def test_one_in_a_callback_is_no_other_answer(tape):
    def program(shell, _locks, bus, value=1):
        bus.each([1], lambda number: str(shell.store([number, value])))

    session(tape.path, "all", program)
    with pytest.raises(EncodeError, match=r"Shell\.store: argument `values`"):
        session(tape.path, "none", lambda *them: program(*them, Odd()))


def test_one_in_an_inbound_call_is_no_other_answer(tape):
    class Storing(Application):
        def __init__(self, cassette, value):
            super().__init__()
            self.shell = VcrShell.attach(cassette, RealShell)
            self.value = value

        def status(self):
            return str(self.shell.store([self.value]))

    with Cassette(tape.path, "all") as cassette:
        VcrServer(cassette=cassette, inner=Storing(cassette, 1)).status()
    with (
        pytest.raises(EncodeError, match=r"Shell\.store: argument `values`"),
        Cassette(tape.path, "none") as cassette,
    ):
        Driver(cassette, VcrServer(cassette=cassette, inner=Storing(cassette, Odd()))).run_sync()


def test_one_that_the_application_answers_is_told_and_not_that_the_answer_never_came(tape):
    class Forgetful(Application):
        def status(self):
            return None  # somebody forgot to return the text

    with Cassette(tape.path, "all") as cassette:
        server = VcrServer(cassette=cassette, inner=Application())
        server.status()
        server.status()

    async def replay():
        with Cassette(tape.path, "none") as cassette:
            await Driver(cassette, VcrServer(cassette=cassette, inner=Forgetful())).run()

    with pytest.raises(EncodeError, match=r"server\.status: result: expected str, got None"):
        asyncio.run(replay())


def test_one_that_the_application_swallows_is_raised_when_the_cassette_is_closed(tape):
    def program(shell, *_):
        shell.store([1])

    def changed(shell, *_):
        program(shell)
        with contextlib.suppress(Exception):
            shell.store([Odd()])

    session(tape.path, "all", program)
    with pytest.raises(EncodeError, match=r"Shell\.store: argument `values`"):
        session(tape.path, "none", changed)


def test_one_that_cannot_be_read_is_raised_in_place_of_what_follows(tape):
    def program(shell, locks, *_):
        with locks.lock("door", False):
            shell.store(["one"])

    session(tape.path, "all", program)
    text = tape.path.read_text("utf-8")
    changed = text.replace("returned: 1\n", "returned: one\n").replace(
        '"returned":1', '"returned":"one"'
    )
    assert changed != text
    tape.path.write_text(changed, "utf-8")
    with pytest.raises(DecodeError, match=r"Shell\.store: result: expected"):
        session(tape.path, "none", program)
