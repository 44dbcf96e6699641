"""Callbacks from threads of the environment, while the program waits for something else."""

import queue
import sqlite3
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import pytest
from mutants import File
from sample.application import Application
from sample.bridges import RealBus
from taping import Tape, entries
from vcr_sample import VcrBus, VcrServer

from vcr_gen import Cassette, DivergenceError, VcrError

REPLAYS = 20


@pytest.fixture
def tape(tmp_path):
    return Tape(tmp_path / "tape.jsonl")


@pytest.fixture(autouse=True)
def _no_thread_is_left():
    before = set(threading.enumerate())
    yield
    left = set(threading.enumerate()) - before
    for thread in left:
        thread.join(1)
    assert [thread for thread in left if thread.is_alive()] == []


def always_the_same(tape, real, program, replays=REPLAYS):
    recorded = tape.record(VcrBus, real, program)
    for _ in range(replays):
        assert recorded == tape.replay(VcrBus, program)
    return recorded


class Broker(RealBus):
    """Delivers from a thread of its own what is due after so many seconds."""

    due = ((0.01, 1), (0.01, 2), (0.01, 3))

    def __init__(self):
        super().__init__()
        self.threads = []

    def on(self, topic, notify):
        stop = threading.Event()

        def deliver():
            for pause, number in self.due:
                if stop.wait(pause):
                    return
                with suppress(LookupError):
                    notify(number)

        thread = threading.Thread(target=deliver)
        self.threads.append(thread)
        thread.start()
        return stop.set

    def wait(self):
        for thread in self.threads:
            thread.join()
        return "over"


def test_a_subscriber_gets_its_messages_from_a_queue(tape):
    def program(bus):
        inbox, log = queue.Queue(), []

        def notify(number):
            inbox.put(number)
            return f"got {number}"

        unsubscribe = bus.on("news", notify)
        log.append("subscribed")
        for _ in range(3):
            log.append(inbox.get())
            log.append(f"read {log[-1]}")
        unsubscribe()
        return log

    log = always_the_same(tape, Broker, program)
    assert log == ["subscribed", 1, "read 1", 2, "read 2", 3, "read 3"]


def test_calls_of_the_program_come_between_the_same_callbacks(tape):
    def program(bus):
        inbox, log = queue.Queue(), []

        def notify(number):
            log.append(f"callback {number}")
            inbox.put(number)
            return ""

        bus.on("news", notify)
        for _ in range(2):
            number = inbox.get(timeout=30)
            log.append(f"publish {bus.publish(number)}")
            log.append(bus.maker("!")(str(number)))
        return log

    class Slow(Broker):
        due = ((0.1, 1), (0.1, 2))

    log = always_the_same(tape, Slow, program)
    assert log == ["callback 1", "publish 0", "!1", "callback 2", "publish 0", "!2"]


def test_an_event_that_is_waited_for_without_and_with_time_outs(tape):
    class Slow(Broker):
        due = ((0.12, 1), (0.12, 2))

    def program(bus):
        heard, log = threading.Event(), []

        def notify(number):
            log.append(number)
            heard.set()
            return ""

        bus.on("news", notify)
        log.append(heard.wait(0.03))  # too short, as it was
        log.append(heard.wait())
        heard.clear()
        log.append(heard.wait(30))
        return log

    assert always_the_same(tape, Slow, program, 5) == [False, 1, True, 2, True]


def test_time_outs_that_are_long_enough_cost_no_time(tape):
    class Slow(Broker):
        due = ((0.4, 1),)

    def program(bus):
        inbox = queue.Queue()
        bus.on("news", lambda number: str(inbox.put(number)))
        return inbox.get(timeout=30)

    tape.record(VcrBus, Slow, program)
    began = time.monotonic()
    for _ in range(10):
        assert tape.replay(VcrBus, program) == 1
    assert time.monotonic() - began < 2


def test_a_program_that_sleeps_until_something_came(tape):
    def program(bus):
        heard = []
        bus.on("news", lambda number: heard.append(number) or "")
        while len(heard) < 3:
            time.sleep(0.002)
        return heard

    assert always_the_same(tape, Broker, program, 5) == [1, 2, 3]


def test_a_program_that_joins_a_thread_of_its_own_which_waits_for_callbacks(tape):
    def program(bus):
        inbox, log = queue.Queue(), []

        def work():
            for _ in range(3):
                log.append(inbox.get())
                log.append(bus.publish(len(log)))

        thread = threading.Thread(target=work)
        thread.start()
        bus.on("news", lambda number: str(inbox.put(number)))
        thread.join()
        return log

    assert always_the_same(tape, Broker, program) == [1, 0, 2, 0, 3, 0]


def test_a_callback_that_itself_calls_the_environment(tape):
    def program(bus):
        done, log = threading.Event(), []
        shout = bus.maker("!")

        def notify(number):
            log.append(shout(str(number)))
            log.append(bus.publish(number))
            if number == 3:
                done.set()
            return log[-2]

        bus.on("news", notify)
        done.wait()
        return log

    assert always_the_same(tape, Broker, program) == ["!1", 0, "!2", 0, "!3", 0]


def test_a_callback_that_raises(tape):
    def program(bus):
        inbox = queue.Queue()

        def notify(number):
            inbox.put(number)
            raise LookupError(number)

        bus.on("news", notify)
        return [inbox.get() for _ in range(3)]

    assert always_the_same(tape, Broker, program) == [1, 2, 3]


def test_callbacks_from_two_threads(tape):
    def program(bus):
        inbox, threads = queue.Queue(), {}

        def listener(name):
            def notify(number):
                threads.setdefault(name, set()).add(threading.get_ident())
                inbox.put(f"{name} {number}")
                return name

            return notify

        bus.on("a", listener("a"))
        bus.on("b", listener("b"))
        log = [inbox.get() for _ in range(6)]
        assert [len(idents) for idents in threads.values()] == [1, 1]
        return log

    always_the_same(tape, Broker, program)


def test_what_a_callback_keeps_for_its_thread_is_there_for_the_next(tape):
    def program(bus):
        done, connections = threading.Event(), []

        def notify(number):
            if number == 1:
                connections.append(sqlite3.connect(":memory:"))
                connections[0].execute("create table seen (number)")
            connections[0].execute("insert into seen values (?)", [number])
            if number < 3:
                return ""
            with closing(connections[0]) as connection:
                seen = connection.execute("select number from seen").fetchall()
            done.set()
            return str(seen)

        bus.on("news", notify)
        done.wait()
        return len(connections)

    always_the_same(tape, Broker, program)


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
        heard = []
        with Cassette(tape.path, mode) as cassette:
            bus = VcrBus.attach(cassette, Broker)
            bus.on("news", lambda number: heard.append(number) or "")
            if mode == "all":  # the program is slower than the replay, and waits for nothing
                time.sleep(0.1)
        return heard

    assert session("all") == [1, 2, 3]
    for _ in range(REPLAYS):
        assert session("none") == [1, 2, 3]


class Patient(Application):
    """Answers one call only when another has come."""

    def __init__(self):
        super().__init__()
        self.inside, self.logged_in = threading.Event(), threading.Event()

    def status(self):
        self.log.append("status")
        self.inside.set()
        self.logged_in.wait()
        self.log.append("answered")
        return "ready"

    def login(self, user, *, token):
        self.log.append(user)
        self.logged_in.set()
        return True


def test_inbound_calls_overlap_also_where_one_waits_for_the_other(tape):
    recorded = Patient()
    with Cassette(tape.path, "all") as cassette:
        server = VcrServer(cassette=cassette, inner=recorded)
        asking = threading.Thread(target=server.status)
        asking.start()
        recorded.inside.wait()
        server.login("ann", token="t")
        asking.join()
    for _ in range(REPLAYS):
        replayed = Patient()
        tape.replay_served(VcrServer, replayed, sync=True)
        assert replayed.log == recorded.log == ["status", "ann", "answered"]


# What differs is found ---------------------------------------------------------------------------


def listening(answer=str, wanted=3, timeout=None):
    def program(bus):
        inbox = queue.Queue()

        def notify(number):
            inbox.put(number)
            return answer(number)

        bus.on("news", notify)
        return [inbox.get(timeout=timeout) for _ in range(wanted)]

    return program


def test_another_answer_of_the_callback_is_a_divergence_for_the_main_program(tape):
    tape.record(VcrBus, Broker, listening())
    with pytest.raises(DivergenceError, match=r"returned another value") as caught:
        tape.replay(VcrBus, listening(answer=lambda number: f"{number % 3}"), patience=0.3)
    assert [(found.recorded, found.actual) for found in caught.value.divergence.differences] == [
        ("3", "0")
    ]


def test_a_program_that_waits_for_more_callbacks_than_there_were_does_not_hang(tape):
    tape.record(VcrBus, Broker, listening())
    with pytest.raises(DivergenceError, match="waits"):
        tape.replay(VcrBus, listening(wanted=4), patience=0.3)


def test_a_program_that_takes_fewer_callbacks_still_gets_them_all(tape):
    answered = deque()
    tape.record(VcrBus, Broker, listening())
    program = listening(answer=lambda number: answered.append(number) or str(number), wanted=1)
    assert tape.replay(VcrBus, program) == [1]
    assert list(answered) == [1, 2, 3]


def test_a_call_that_the_callback_makes_otherwise_is_a_divergence(tape):
    def program(shift):
        def run(bus):
            done = threading.Event()

            def notify(number):
                heard = bus.publish(number + shift)
                if number == 3:
                    done.set()
                return str(heard)

            bus.on("news", notify)
            return done.wait(5)

        return run

    tape.record(VcrBus, Broker, program(0))
    with pytest.raises(DivergenceError, match=r"Bus\.publish"):
        tape.replay(VcrBus, program(1), patience=0.3)


# What is under way when the recording is closed --------------------------------------------------


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
    assert "returned" in str(entries(tape.path)[-1])
    for _ in range(3):
        hasty(tape, "none", 0.01)
    with pytest.raises(DivergenceError, match="returned another value"):
        hasty(tape, "none", 0.01, answer="other")


def test_a_callback_that_the_recording_did_not_see_end_need_not_end(tape):
    stop = threading.Event()
    hasty(tape, "all", 0, before_end=lambda bus: stop.wait(5))
    stop.set()
    assert "cancel" in entries(tape.path)[-1]
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


def test_who_is_at_work_in_a_callback_is_waited_for_by_other_threads(tape):
    class Orderly(RealBus):
        """Answers one call only when another is over."""

        def __init__(self):
            super().__init__()
            self.over = threading.Event()

        def each(self, numbers, notify):
            made = super().each(numbers, notify)
            self.over.set()
            return made

        def publish(self, number):
            self.over.wait()
            return number

    def program(bus):
        log = []
        thread = threading.Thread(target=lambda: log.append(bus.publish(7)))
        thread.start()
        time.sleep(0.05)

        def notify(number):
            time.sleep(0.1)
            log.append(number)
            return ""

        bus.each([1, 2], notify)
        thread.join()
        return log

    assert always_the_same(tape, Orderly, program, 3) == [1, 2, 7]
