"""Functions that cross: callbacks of the application, and functions of the environment."""

import asyncio
import inspect

import pytest
from sample.bridges import RealBus
from vcr_sample import VcrBus

from vcr_gen.errors import DivergenceError, IncompleteError


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
    with pytest.raises(DivergenceError, match=r"the function `notify` given to Bus\.each"):
        tape.replay(VcrBus, lambda bus: program(bus, "y"))


def test_what_a_callback_answers_that_nobody_asks_for_is_nobodys_business(tape):
    def program(bus, answer="pong"):
        return bus.hint(lambda number: answer)

    assert tape.same(VcrBus, RealBus, program) is True
    assert tape.replay(VcrBus, lambda bus: program(bus, "other")) is True


def test_an_answer_of_another_type_is_refused_with_the_callback_that_gave_it(tape):
    def program(bus):
        bus.on("topic", lambda number: number)

    expected = r"the function given to Bus\.on as `notify`: result: expected str"
    with pytest.raises(IncompleteError, match=expected):
        tape.record(VcrBus, RealBus, program)


def test_a_function_that_is_called_no_more_is_named_by_where_it_came_from(tape):
    def program(bus, *, stops=True):
        stop = bus.on("topic", lambda number: "")
        if stops:
            stop()
        return bus.publish(1)

    assert tape.same(VcrBus, RealBus, program) == 0
    named = r"the tape has the function that Bus\.on returned\n"
    with pytest.raises(DivergenceError, match=named):
        tape.replay(VcrBus, lambda bus: program(bus, stops=False))


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


def test_so_is_a_bound_method_of_a_class_in_c(tape):
    def program(bus):
        answers = {0: "ab"}
        bus.on("topic", answers.get)
        bus.off(answers.get)
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


@pytest.mark.parametrize("awaited", [True, False])
def test_what_a_callback_may_give_to_await_the_environment_awaits(tape, awaited):
    async def later(number):
        return f"later {number}"

    def notify(number):
        return later(number) if awaited else f"now {number}"

    async def program(bus):
        bus.begin(notify)
        return await bus.begun()

    assert tape.same(VcrBus, RealBus, program) == ("later 41" if awaited else "now 41")


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


@pytest.mark.parametrize("eager", [True, False])
def test_a_function_of_the_environment_begins_when_the_real_one_did(tape, eager):
    async def program(bus):
        make = bus.amaker("a", eager)
        made = asyncio.ensure_future(make("b"))
        bus.each([], str)  # before the coroutine has begun, after an eager function has
        return await made, inspect.iscoroutinefunction(make)

    assert tape.same(VcrBus, RealBus, program) == ("ab", not eager)


def test_a_param_spec_carries_any_arguments(tape):
    def program(bus):
        return bus.submit(lambda a, *, b: a + b, 1, b=2)

    assert tape.same(VcrBus, RealBus, program) == 3
