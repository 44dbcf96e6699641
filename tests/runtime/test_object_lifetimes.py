"""Live objects: which of them are the same, and how long a session keeps them."""

import gc
import threading
import weakref
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import pytest
from sample.bridges import RealBus, RealCursor, RealDatabase
from sample.bridges.feed import RealFeed
from vcr_sample import VcrBus, VcrDatabase, VcrFeed

from vcr_gen import Cassette
from vcr_gen.errors import DivergenceError
from vcr_gen.runtime.values.object_numbers import Objects

MANY = 300


def one(number):
    return f"one {number}"


def two(number):
    return f"one {number}"


@pytest.mark.parametrize("recorded", [(one, one), (one, two)])
def test_two_callbacks_of_a_call_are_the_same_or_not_as_recorded(tape, recorded):
    def program(bus, *functions):
        return bus.both(*functions)

    tape.record(VcrBus, RealBus, lambda bus: program(bus, *recorded))
    assert tape.replay(VcrBus, lambda bus: program(bus, *recorded)) == ["one 1", "one 2"]
    other = (one, one) if recorded == (one, two) else (one, two)
    with pytest.raises(DivergenceError, match="different object"):
        tape.replay(VcrBus, lambda bus: program(bus, *other))


@pytest.mark.parametrize("recorded", [(one, one), (one, two)])
def test_callbacks_of_two_calls_are_the_same_or_not_as_recorded(tape, recorded):
    def program(bus, *functions):
        for function in functions:
            bus.each([1], function)

    other = (one, one) if recorded == (one, two) else (one, two)
    tape.record(VcrBus, RealBus, lambda bus: program(bus, *recorded))
    tape.replay(VcrBus, lambda bus: program(bus, *recorded))
    with pytest.raises(DivergenceError, match="different object"):
        tape.replay(VcrBus, lambda bus: program(bus, *other))


def test_a_new_callback_does_not_take_the_number_of_one_that_is_gone(tape):
    def program(bus, *, again):
        def make():
            return lambda number: f"heard {number}"

        function = make()
        bus.each([1], function)
        if not again:
            del function
            gc.collect()
            function = make()
        for _ in range(50):
            bus.each([2], make())
        bus.each([3], function)

    tape.record(VcrBus, RealBus, lambda bus: program(bus, again=True))
    tape.replay(VcrBus, lambda bus: program(bus, again=True))
    with pytest.raises(DivergenceError, match="different object"):
        tape.replay(VcrBus, lambda bus: program(bus, again=False))


@pytest.mark.parametrize("kind", [list, deque])
def test_the_methods_of_builtin_objects_are_callbacks_too(tape, kind):
    def program(bus):
        kept, heard = kind(), []
        for _ in range(MANY):
            noted = kind()
            bus.hint(noted.append)
            bus.hint(kept.append)
            heard.append(list(noted))
        return heard == [[1]] * MANY and list(kept) == [1] * MANY

    assert tape.same(VcrBus, RealBus, program)


def test_a_registered_callback_works_however_many_others_come_and_go(tape):
    def program(bus):
        heard = []
        cancel = bus.on("topic", lambda number: heard.append(number) or "ok")
        for number in range(MANY):
            bus.each([number], lambda number: f"{number}")
        gc.collect()
        bus.publish(7)
        cancel()
        bus.publish(8)
        return heard

    assert tape.same(VcrBus, RealBus, program) == [0, 7]


def test_a_callback_that_the_environment_gives_back_is_still_the_same(tape):
    class Keeping(RealBus):
        def on(self, topic, notify):
            self.kept = notify
            return lambda: None

        def back(self, notify):
            return self.kept

    def program(bus):
        bus.on("topic", lambda number: f"kept {number}")
        for number in range(MANY):
            bus.each([number], str)
        gc.collect()
        return bus.back(str)(5)

    assert tape.same(VcrBus, Keeping, program) == "kept 5"


def test_a_handle_goes_when_the_application_drops_it(tape):
    cursors = []

    class Noting(RealDatabase):
        def cursor(self):
            cursor = super().cursor()
            cursors.append(weakref.ref(cursor))
            return cursor

    def program(database):
        for _ in range(MANY):
            assert database.cursor().fetch(0) == []
        gc.collect()
        return sum(ref() is not None for ref in cursors)

    assert tape.record(VcrDatabase, Noting, program) == 0


def test_a_stream_that_is_given_twice_goes_on_where_it_was(tape):
    class Sipping(RealFeed):
        def upload(self, chunks):
            return len(next(chunks, b""))

    def program(feed):
        chunks = iter([b"a", b"bb", b"ccc"])
        return [feed.upload(chunks), feed.upload(chunks), feed.upload(chunks), feed.upload(chunks)]

    assert tape.same(VcrFeed, Sipping, program) == [1, 2, 3, 0]


# Threads ------------------------------------------------------------------------------------------


def test_a_wrapper_that_is_collected_at_any_moment_is_replaced():
    """A weak reference may be dead before its callback has run, in another thread."""

    class Wrapper:
        pass

    objects = Objects(replaying=False)
    real = RealCursor()
    lock = objects._lock
    with lock:
        first = objects.bring_in(real, lambda number, real: Wrapper())
        number = objects.number(first)
        thread = threading.Thread(target=lambda held: held.clear(), args=([first],))
        del first
        thread.start()  # drops the last reference while this thread uses the table
        thread.join()
        second = objects.bring_in(real, lambda number, real: Wrapper())
        assert isinstance(second, Wrapper)
        assert objects.number(second) != number
    gc.collect()
    assert isinstance(objects.bring_in(real, lambda *_: None), Wrapper)


def test_a_pool_of_handles_is_shared_by_threads(tape):
    shared = RealCursor()

    class Pooled(RealDatabase):
        def cursor(self):
            return shared

    def work(database):
        for _ in range(200):
            assert database.cursor().fetch(0) == []

    with Cassette(tape.path, "all") as cassette:
        database = VcrDatabase.attach(cassette, Pooled)
        with ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(work, database) for _ in range(4)]:
                done.result()
