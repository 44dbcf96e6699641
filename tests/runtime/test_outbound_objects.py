"""Handles, context managers and callbacks: live objects that cross."""

import asyncio
import gc

import pytest
from sample.bridges import RealBus, RealConnection, RealCursor, RealDatabase, RealLocks
from taping import Tape, entries
from vcr_sample import (
    VcrBus,
    VcrConnection,
    VcrCursor,
    VcrDatabase,
    VcrLocks,
)

from vcr_gen import Cassette
from vcr_gen.errors import DivergenceError, EncodeError, UsageError


def test_a_handle_is_a_wrapper_whose_calls_name_it(tape):
    def program(database):
        one, two = database.cursor(), database.cursor()
        return [two.fetch(1), one.fetch(2), isinstance(one, VcrCursor), one is two]

    assert tape.same(VcrDatabase, RealDatabase, program) == [
        [(0, "0")],
        [(0, "0"), (1, "1")],
        True,
        False,
    ]
    assert [entry.get("on") for entry in entries(tape.path)] == [None, None, "#2", "#1"]


def test_calling_another_handle_than_recorded_is_a_divergence(tape):
    def program(database, first=True):
        one, two = database.cursor(), database.cursor()
        (one if first else two).close()

    tape.record(VcrDatabase, RealDatabase, program)
    with pytest.raises(DivergenceError, match=r"Cursor\.close"):
        tape.replay(VcrDatabase, lambda database: program(database, first=False))


def test_handles_cross_inside_lists_dicts_tuples_and_optionals(tape):
    def program(database):
        pool, named, pair = database.pool(), database.named(), database.pair()
        found = [database.find(True), database.find(False)]
        return [
            [cursor.fetch(1) for cursor in pool],
            {name: cursor.fetch(1) for name, cursor in named.items()},
            pair[0].fetch(pair[1]),
            found[0].fetch(0),
            found[1],
            named["same"] is pool[1],
        ]

    seen = tape.same(VcrDatabase, RealDatabase, program)
    assert seen[3:] == [[], None, True]


def test_each_object_of_a_union_of_boundaries_is_a_handle_of_its_own(tape):
    def program(database):
        row, cursor = database.any_of("row"), database.any_of("cursor")
        call, number = database.any_of("call"), database.any_of("int")
        used = [database.use_any(one) for one in (row, cursor, lambda: 1, number)]
        return [row.number, cursor.fetch(1), call(), number, used, cursor is database.same()]

    assert tape.same(VcrDatabase, RealDatabase, program) == [
        3,
        [(0, "0")],
        4,
        5,
        ["RealRow", "RealCursor", "function", "int"],
        True,
    ]


def _handle(database):
    return database.cursor()


def _generator(_):
    return (letter for letter in "ab")


@pytest.mark.parametrize("make", [_handle, _generator])
def test_a_live_object_where_none_is_declared_is_refused_with_what_to_do(tape, make):
    def program(database):
        database.tell({"live": make(database)})

    with pytest.raises(EncodeError, match=r"`what`\.live: expected a value, got a live") as e:
        tape.record(VcrDatabase, RealDatabase, program)
    assert "say in the annotation what comes" in e.value.hint


def test_the_same_object_is_the_same_handle_every_time(tape):
    def program(database):
        same = database.same()
        return [same is database.same(), same is database.pool()[1], same in database.each()]

    assert tape.same(VcrDatabase, RealDatabase, program) == [True, True, True]


def test_handles_are_yielded_entered_and_nested(tape):
    def program(database):
        with database.transaction() as cursor:
            rows = [(row.number, list(row.cells())) for row in cursor.rows()]
        return rows, [cursor.fetch(1) for cursor in database.each()]

    rows, _ = tape.same(VcrDatabase, RealDatabase, program)
    assert rows == [(1, ["a1", "b1"]), (2, ["a2", "b2"])]


def test_handles_come_out_of_async_calls_streams_and_managers(tape):
    async def program(database):
        cursor = await database.acursor()
        rows = [row.number async for row in cursor.arows()]
        async with database.atransaction() as entered:
            return rows, entered.fetch(1)

    assert tape.same(VcrDatabase, RealDatabase, program) == ([1, 2], [(0, "0")])


def test_a_handle_passed_back_reaches_the_bridge_as_its_own_object(tape):
    real = RealDatabase()

    def program(database):
        same, other = database.same(), database.cursor()
        return [database.use(same), database.use(other), database.use_all([other, same])]

    assert tape.record(VcrDatabase, lambda: real, program) == [1, 0, 1]
    assert all(isinstance(cursor, RealCursor) for cursor in real.used)
    assert tape.replay(VcrDatabase, program) == [1, 0, 1]


def test_passing_another_handle_than_recorded_is_a_divergence(tape):
    def program(database, swap=False):
        one, two = database.cursor(), database.cursor()
        database.use(two if swap else one)

    tape.record(VcrDatabase, RealDatabase, program)
    with pytest.raises(DivergenceError, match="another object"):
        tape.replay(VcrDatabase, lambda database: program(database, swap=True))


def test_what_gives_itself_back_comes_back_as_its_own_wrapper(tape):
    assert tape.same(VcrDatabase, RealDatabase, lambda database: database.itself() is database)


def test_self_is_a_wrapper_of_its_kind(tape):
    def program(database):
        clone, clones = database.clone(), database.clones()
        again = [database.itself().label(), clone.clone().label()]
        return (
            clone.label(),
            [each.label() for each in clones],
            again,
            isinstance(clone, VcrDatabase),
        )

    assert tape.same(VcrDatabase, RealDatabase, program) == (
        "clone",
        ["one", "original"],
        ["original", "clone"],
        True,
    )


def test_a_handle_that_the_program_dropped_may_come_again(tape):
    def program(database):
        seen = []
        for _ in range(3):
            seen.append(database.same().fetch(1))
            gc.collect()
        return seen

    assert tape.same(VcrDatabase, RealDatabase, program) == [[(0, "0")]] * 3


def test_a_handle_is_of_no_use_with_another_cassette(tape, tmp_path):
    with Cassette(tape.path, "all") as one:
        cursor = VcrDatabase.attach(one, RealDatabase).cursor()
        with pytest.raises(UsageError, match="a handle of Cursor is used with another cassette"):
            Tape(tmp_path / "other.yaml").record(
                VcrDatabase, RealDatabase, lambda database: database.use(cursor)
            )


def test_an_object_that_never_crossed_is_refused_as_a_handle(tape):
    with pytest.raises(UsageError, match="made by the application"):
        tape.record(VcrDatabase, RealDatabase, lambda database: database.use(RealCursor()))


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


def test_a_callback_is_invoked_at_the_recorded_moments(tape):
    def program(bus):
        log = []

        def notify(number):
            log.append(number)
            return "x" * number

        stop = bus.on("topic", notify)
        log.append(bus.publish(2))
        stop()
        log.append(bus.publish(3))
        return log

    assert tape.same(VcrBus, RealBus, program) == [0, 2, 2, 0]


def test_what_a_callback_answers_is_asserted(tape):
    def program(bus, answer="x"):
        return bus.each([1, 2], lambda number: answer * number)

    assert tape.same(VcrBus, RealBus, program) == ["x", "xx"]
    with pytest.raises(DivergenceError, match=r"callable\.call"):
        tape.replay(VcrBus, lambda bus: program(bus, "y"))


def test_a_callback_passed_back_is_the_bridges_own_object(tape):
    real = RealBus()

    def program(bus):
        def notify(number):
            return "ab"

        bus.on("topic", notify)
        bus.off(notify)
        return bus.publish(1)

    assert tape.record(VcrBus, lambda: real, program) == 0
    assert real.listeners == []
    assert tape.replay(VcrBus, program) == 0


def test_a_bound_method_is_the_same_callback_each_time_it_is_named(tape):
    class Subscriber:
        def notify(self, number):
            return "ab"

    def program(bus):
        subscriber = Subscriber()
        bus.on("topic", subscriber.notify)
        bus.off(subscriber.notify)
        return bus.publish(1)

    assert tape.same(VcrBus, RealBus, program) == 0


def test_a_callback_that_raises_does_so_inside_the_environment(tape):
    class Catches(RealBus):
        def each(self, numbers, notify):
            seen = []
            for number in numbers:
                try:
                    seen.append(notify(number))
                except ZeroDivisionError as error:
                    seen.append(str(error))
            return seen

    def program(bus):
        return bus.each([1, 0], lambda number: str(1 // number))

    assert tape.same(VcrBus, Catches, program)[0] == "1"


def test_a_callback_may_call_the_environment_itself(tape):
    def program(bus):
        depth = []

        def notify(number):
            depth.append(number)
            return "".join(bus.each([number - 1], notify)) + "." if number else "end"

        return bus.each([3], notify), depth

    assert tape.same(VcrBus, RealBus, program) == (["end..."], [3, 2, 1, 0])


def test_an_async_callback_is_awaited_by_the_environment(tape):
    async def program(bus):
        async def notify(number):
            await asyncio.sleep(0.001)
            return "x" * number

        return await bus.aeach([1, 2], notify)

    assert tape.same(VcrBus, RealBus, program) == ["x", "xx"]


def test_a_callback_protocol_gets_its_defaults_and_keywords(tape):
    def program(bus):
        log = []

        def listener(event, weight=1):
            log.append((event, weight))
            return event * weight

        return bus.listen(listener), log

    assert tape.same(VcrBus, RealBus, program) == ("abbccc", [("a", 1), ("b", 2), ("c", 3)])


def test_a_callback_after_its_call_returned_comes_from_another_thread(tape):
    def program(bus):
        log = []

        def notify(number):
            log.append(number)
            return "heard"

        bus.after(notify)
        return bus.wait(), log

    assert tape.same(VcrBus, RealBus, program) == ("heard", [41])


def test_a_function_of_the_environment_is_called_by_the_application(tape):
    def program(bus):
        shout, whisper = bus.maker("!"), bus.maker("?")
        return [shout("a"), whisper("b"), shout("c")]

    assert tape.same(VcrBus, RealBus, program) == ["!a", "?b", "!c"]


def test_a_param_spec_carries_any_arguments(tape):
    def program(bus):
        return bus.submit(lambda a, *, b: a + b, 1, b=2)

    assert tape.same(VcrBus, RealBus, program) == 3
