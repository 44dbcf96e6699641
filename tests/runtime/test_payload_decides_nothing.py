"""What values say decides nothing: neither which threads run nor what a message says."""

import asyncio
import gc
import threading

import pytest
from sample.application import Application
from sample.bridges import RealBus, RealShell
from vcr_sample import VcrBus, VcrServer, VcrShell

from vcr_gen import Cassette

WORDS = ("inbound", "strand", "inbound: true\n  strand: '0.1'\n", '"strand":"0.1","inbound":true')


def threads(before=()):
    """The runtime's own threads, without those that were alive before."""
    return [
        thread.name
        for thread in threading.enumerate()
        if "vcr-gen" in thread.name and thread not in before
    ]


def test_no_thread_starts_because_of_a_word_in_a_value(tape):
    before = threading.enumerate()

    def program(shell):
        seen = [shell.read(word) for word in WORDS]
        assert shell.store([{"inbound": True, "strand": "0.1"}]) == 1
        return seen, threads(before)

    assert tape.same(VcrShell, Telling, program) == (list(WORDS), [])


class Telling(RealShell):
    """Reads back what it is told."""

    def read(self, what, *, twice=False):
        return what


def test_a_thread_watches_over_a_session_that_was_called(tape):
    tape.record_served(VcrServer, Application(), lambda server: server.status())
    with Cassette(tape.path, "none") as cassette:
        server = VcrServer(cassette=cassette, inner=Application())
        assert threads()
        assert server.status() == "1 seen"


# Coroutines that are dropped ----------------------------------------------------------------------


def drop_half_way(begin):
    """Leave tasks behind in a loop that is closed; the garbage collector closes them."""
    loop = asyncio.new_event_loop()
    tasks = [loop.create_task(begin()) for _ in range(2)]
    loop.run_until_complete(asyncio.sleep(0.05))
    loop.set_exception_handler(lambda *_: None)  # who would say that the tasks were pending
    loop.close()
    tasks.clear()
    gc.collect()


@pytest.fixture
def unraisable(monkeypatch):
    caught = []
    monkeypatch.setattr("sys.unraisablehook", lambda found: caught.append(found.exc_value))
    return caught


class Sleeping(Application):
    """Answers never."""

    async def start(self, name, arguments=""):
        await asyncio.Event().wait()
        return name


def test_an_inbound_coroutine_may_be_collected_in_any_context(tape, unraisable):
    for mode in ("all", "none"):
        cassette = Cassette(tape.path, mode)
        server = VcrServer(cassette=cassette, inner=Sleeping())
        drop_half_way(lambda server=server: server.start("x"))
        cassette.close(None if mode == "all" else RuntimeError())
    assert unraisable == []


def test_a_callback_may_be_collected_in_any_context(tape, unraisable):
    async def answer(number):
        await asyncio.Event().wait()
        return "never"

    cassette = Cassette(tape.path, "all")
    bus = VcrBus.attach(cassette, RealBus)
    drop_half_way(lambda: bus.aeach([1], answer))
    cassette.close(RuntimeError())
    assert unraisable == []
