"""Callbacks from threads of the environment, while the program waits for something else."""

import queue
import sqlite3
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial

from broker import REPLAYS, Broker, always_the_same
from sample.application import Application
from sample.bridges import RealBus
from vcr_sample import VcrBus, VcrServer

from vcr_gen import Cassette


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


def test_a_long_wait_for_a_callback_is_cut_short(tape):
    class Slow(Broker):
        due = ((1.0, 1),)

    def program(bus):
        inbox = queue.Queue()
        bus.on("news", lambda number: str(inbox.put(number)))
        return inbox.get(timeout=30)

    tape.record(VcrBus, Slow, program)
    began = time.monotonic()
    for _ in range(20):
        assert tape.replay(VcrBus, program) == 1
    assert time.monotonic() - began < 18  # in real time, 20


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


class Slowly(RealBus):
    """Calls back in the thread that called, and gives others time to do so, too."""

    def each(self, numbers, notify):
        answers = []
        for number in numbers:
            time.sleep(0.001)
            answers.append(notify(number))
        return answers


class InParallel(Slowly):
    """Calls back from several threads at once."""

    def each(self, numbers, notify):
        if len(numbers) < 4:
            return super().each(numbers, notify)
        with ThreadPoolExecutor(len(numbers)) as executor:
            return list(executor.map(notify, numbers))


def test_threads_that_all_wait_are_called_back_each_in_its_own_call(tape):
    def program(bus):
        def work(first):
            return bus.each([first, first + 1, first + 2], lambda number: f"{first}: {number}")

        with ThreadPoolExecutor(4) as executor:
            return list(executor.map(work, range(0, 40, 10)))

    answers = always_the_same(tape, Slowly, program)
    assert answers[3] == ["30: 30", "30: 31", "30: 32"]


def test_callbacks_from_several_threads_may_call_out_and_be_called_back_there(tape):
    def program(bus):
        def outer(number):
            return "".join(bus.each([number, number * 10], str))

        return bus.each([1, 2, 3, 4], outer)

    assert always_the_same(tape, InParallel, program) == ["110", "220", "330", "440"]


def test_a_callback_comes_before_the_answer_also_where_calls_may_come_in_any_order(tape):
    def program(bus, *, late):
        seen = []

        def work(first):
            if first == late:
                time.sleep(0.05)
            return bus.each([first, first + 1], lambda number: seen.append(number) or str(number))

        with ThreadPoolExecutor(3) as executor:
            return list(executor.map(work, (10, 20, 30))), sorted(seen)

    recorded = tape.record(VcrBus, Slowly, partial(program, late=30), order="lanes")
    for late in (10, 20, 30):
        replayed = tape.replay(VcrBus, partial(program, late=late), order="lanes")
        assert recorded == replayed


def test_callbacks_that_overlap_reach_a_queue_in_the_recorded_order(tape):
    """What counts is which of them is first to put something into the queue, not to be called."""

    class Crowd(RealBus):
        def on(self, topic, notify):
            for number in range(16):
                threading.Thread(target=notify, args=(number,)).start()
            return lambda: None

    def program(bus):
        inbox, log = queue.Queue(), []

        def notify(number):
            inbox.put(number)
            return ""

        unsubscribe = bus.on("news", notify)
        for _ in range(16):
            number = inbox.get(timeout=30)
            log.append(f"{number} {bus.publish(number)}")
        unsubscribe()
        return log

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(10):
            always_the_same(tape, Crowd, program, replays=2)
    finally:
        sys.setswitchinterval(before)
