"""Callbacks that come, or are under way, when nobody listens any more or the cassette is closed."""

import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from broker import REPLAYS, Broker, always_the_same
from mutants import File
from sample.bridges import RealBus
from tape_data import read_tape
from vcr_sample import VcrBus

from vcr_gen import Cassette, DivergenceError, VcrError


def test_a_callback_that_comes_after_the_program_unsubscribed(tape):
    class Deaf(Broker):
        due = ((0.05, 7),)

        def on(self, topic, notify):
            super().on(topic, notify)
            return lambda: None

    def program(bus):
        inbox = queue.Queue()
        unsubscribe = bus.on("news", lambda number: str(inbox.put(number)))
        unsubscribe()
        return inbox.get(timeout=30)

    assert always_the_same(tape, Deaf, program) == 7


def test_a_timer_of_the_environment_and_a_program_that_ends_without_waiting(tape):
    class Late(RealBus):
        def after(self, notify):
            self._timer = threading.Timer(0.01, notify, [41])
            self._timer.start()

        def wait(self):
            self._timer.join()
            return "over"

    heard = []

    def program(bus):
        heard.append(0)
        bus.after(lambda number: heard.append(number) or "")
        time.sleep(0.05)
        return bus.publish(1)

    always_the_same(tape, Late, program)
    assert heard == [0, 41] * (REPLAYS + 1)


def test_a_callback_that_comes_while_the_program_only_closes(tape):
    def session(mode):
        heard, real = [], Broker()
        with Cassette(tape.path, mode) as cassette:
            bus = VcrBus.attach(cassette, lambda: real)
            bus.on("news", lambda number: heard.append(number) or "")
            real.wait()  # past the tape: in a replay nothing is there to wait for
        return heard

    assert session("all") == [1, 2, 3]
    for _ in range(REPLAYS):
        assert session("none") == [1, 2, 3]


def hasty(tape, mode, seconds, answer="slept", before_end=lambda bus: None, **options):
    """A program that closes its cassette in the midst of a callback."""
    began = threading.Event()
    with Cassette(tape.path, mode, **options) as cassette:
        bus = VcrBus.attach(cassette, RealBus)

        def notify(number):
            began.set()
            time.sleep(seconds)
            before_end(bus)
            return answer

        bus.after(notify)
        began.wait()


def without(path, word):
    """The cassette without its last entry of a kind."""
    file = File.read(path)
    found = [number for number, entry in enumerate(file.events) if word in entry]
    del file.events[found[-1]]
    file.write(path)


def test_a_recording_waits_for_the_end_of_callbacks_that_are_under_way(tape):
    hasty(tape, "all", 0.1)
    assert "returned" in str(read_tape(tape.path)[-1])
    for _ in range(3):
        hasty(tape, "none", 0.01)
    with pytest.raises(DivergenceError, match="returned a different value"):
        hasty(tape, "none", 0.01, answer="other")


def test_a_callback_that_the_recording_did_not_see_end_need_not_end(tape):
    stop = threading.Event()
    hasty(tape, "all", 0, before_end=lambda bus: stop.wait(5))
    stop.set()
    assert "cancel" in read_tape(tape.path)[-1]
    hasty(tape, "none", 0)
    hasty(tape, "none", 0, answer="whatever comes too late")
    hasty(tape, "none", 0, before_end=lambda bus: bus.publish(1))
    without(tape.path, "cancel")
    with pytest.raises(DivergenceError):
        hasty(tape, "none", 0)


def test_an_end_that_got_lost_is_none_that_was_not_seen(tape):
    def program(bus):
        bus.after(lambda number: str(bus.publish(number)))
        return bus.wait()

    tape.record(VcrBus, RealBus, program)
    without(tape.path, "end")
    with pytest.raises((DivergenceError, VcrError)):
        tape.replay(VcrBus, program, patience=0.3)


def test_a_program_that_goes_on_for_real_may_wait_for_callbacks_as_long_as_it_likes(tape):
    def later(notify):
        time.sleep(0.8)
        notify(41)

    def program(bus, times):
        inbox, heard = queue.Queue(), []
        for _ in range(times):
            bus.after(lambda number: str(inbox.put(number)))
            heard.append(inbox.get())
            bus.publish(len(heard))
        return heard

    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()  # a thread that is older than the session

        class Late(RealBus):
            def after(self, notify):
                pool.submit(later, notify)

        tape.record(VcrBus, Late, lambda bus: program(bus, 1))
        with Cassette(tape.path, "new_episodes", patience=0.2) as cassette:
            assert program(VcrBus.attach(cassette, Late), 2) == [41, 41]
    assert tape.replay(VcrBus, lambda bus: program(bus, 2)) == [41, 41]
