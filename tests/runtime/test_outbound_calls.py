"""Single outbound calls: sync, async, awaited later, with every sort of parameter."""

import asyncio
import inspect
import threading
from pathlib import Path

import pytest
from sample.bridges import RealShell
from sample.models import Level, Result, Step
from tape_data import read_tape
from vcr_sample import VcrShell

from vcr_gen import Cassette, InexactReplayWarning
from vcr_gen.errors import UsageError


def test_a_sync_call_is_answered_from_the_tape(tape):
    def program(shell):
        step = Step("build", ("a", "b"), {"cpu": 2, "disk": None}, Level.HIGH)
        return shell.run(step, cwd=Path("/work"))

    result = tape.same(VcrShell, RealShell, program)
    assert result == Result(2, "build in /work", Path("/work/log"))


def test_an_async_call_is_answered_from_the_tape(tape):
    async def program(shell):
        return [await shell.arun("one"), await shell.arun("two", delay=0.001)]

    assert tape.same(VcrShell, RealShell, program) == [Result(0, "one"), Result(0, "two")]


@pytest.mark.parametrize("eager", [True, False])
def test_a_def_that_returns_an_awaitable_raises_when_called_or_when_awaited(tape, eager):
    class Refusing(RealShell):
        def later(self, name):
            async def refuse():
                raise ValueError(name)

            if eager:
                raise ValueError(name)
            return refuse()

    async def program(shell):
        try:
            answer = shell.later("no")
        except ValueError:
            return "called"
        with pytest.raises(ValueError, match="no"):
            await answer
        return "awaited"

    assert tape.same(VcrShell, Refusing, program) == ("called" if eager else "awaited")


def test_a_def_that_returns_an_awaitable_is_called_first_and_awaited_later(tape):
    async def program(shell):
        first, second = shell.later("one"), shell.later("two")
        return [await second, await first]

    assert tape.same(VcrShell, RealShell, program) == [Result(0, "two"), Result(0, "one")]


def test_a_coroutine_is_awaited_once_and_can_be_made_a_task(tape):
    async def program(shell):
        return await asyncio.create_task(shell.later("one"))

    assert tape.same(VcrShell, RealShell, program) == Result(0, "one")

    async def awaits_twice(shell):
        answer = shell.later("one")
        await answer
        with pytest.raises(RuntimeError, match="already awaited"):
            await answer

    tape.record(VcrShell, RealShell, awaits_twice)


def test_a_future_is_one_also_in_a_replay(tape):
    async def program(shell):
        heard = []
        answer, left = shell.promise("one"), shell.promise("two")
        answer.add_done_callback(lambda done: heard.append(done.result()))
        early = answer.done()
        result = await answer
        await asyncio.sleep(0)
        return [early, result, await answer, answer.done(), heard, left.cancel()]

    one = Result(0, "one")
    assert tape.same(VcrShell, RealShell, program) == [False, one, one, True, [one], True]


@pytest.mark.parametrize("wait", [True, False])
def test_a_result_that_may_be_awaitable_is_what_it_was(tape, wait):
    async def program(shell):
        result = shell.maybe("x", wait)
        return [isinstance(result, Result), await result if wait else result]

    assert tape.same(VcrShell, RealShell, program) == [not wait, Result(1 - wait, "x")]


def test_gathered_calls_come_back_in_the_order_they_finished(tape):
    async def program(shell):
        done = []

        async def one(name, delay):
            done.append((await shell.arun(name, delay)).out)

        await asyncio.gather(one("slow", 0.4), one("fast", 0.01), one("middle", 0.2))
        return done

    assert tape.same(VcrShell, RealShell, program) == ["fast", "middle", "slow"]


def test_identical_calls_in_flight_are_not_swapped(tape):
    async def program(shell):
        first = asyncio.create_task(shell.arun("same", 0.01))
        second = asyncio.create_task(shell.arun("same", 0.01))
        return [(await second).out, (await first).out]

    tape.same(VcrShell, RealShell, program)


def test_a_default_of_the_implementation_is_not_on_the_tape(tape):
    def program(shell):
        return [shell.grep("x"), shell.grep("x", 1), shell.grep("y", limit=3)]

    assert tape.same(VcrShell, RealShell, program) == [["x"] * 2, ["x"], ["y"] * 3]
    assert [entry["args"] for entry in read_tape(tape.path)] == [
        {"pattern": "x"},
        {"pattern": "x", "limit": 1},
        {"pattern": "y", "limit": 3},
    ]


def test_variadic_arguments_are_recorded(tape):
    def program(shell):
        return [shell.join(), shell.join("a", "b", n=1), shell.join(parts=2, options=3)]

    assert tape.same(VcrShell, RealShell, program) == ["", "a,b,n=1", "parts=2,options=3"]


def test_each_overload_is_a_call_of_its_own(tape):
    def program(shell):
        return [shell.read(3), shell.read("ab"), shell.read("ab", twice=True), shell.read(what=4)]

    assert tape.same(VcrShell, RealShell, program) == [3, "ab", "abab", 4]
    assert [entry["of"] for entry in read_tape(tape.path)] == [
        "Shell.read",
        "Shell.read#2",
        "Shell.read#2",
        "Shell.read",
    ]


def test_an_unrecorded_argument_reaches_the_bridge_and_not_the_tape(tape):
    real = RealShell()
    tape.record(VcrShell, lambda: real, lambda shell: shell.run(Step("x"), cwd=Path(), timeout=9.5))
    assert real.given == [9.5]
    assert "timeout" not in read_tape(tape.path)[0]["args"]
    tape.replay(VcrShell, lambda shell: shell.run(Step("x"), cwd=Path(), timeout=0.1))


def test_an_unrecorded_member_is_passed_through_and_refused_in_a_replay(tape):
    real = RealShell()
    tape.record(VcrShell, lambda: real, lambda shell: shell.close())
    assert real.closed
    assert read_tape(tape.path) == []
    with pytest.raises(UsageError, match=r"Shell\.close is marked @unrecorded"):
        tape.replay(VcrShell, lambda shell: shell.close())


def test_a_secret_is_on_no_tape_and_any_secret_replays(tape):
    real = RealShell()
    seen = tape.record(VcrShell, lambda: real, lambda shell: shell.login("me", "hunter2"))
    assert seen == "me:hunter2"
    assert b"hunter2" not in tape.path.read_bytes()
    tape.replay(VcrShell, lambda shell: shell.login("me", "another"))


def test_volatile_and_matched_arguments_are_recorded_and_compared_as_they_say(tape):
    tape.record(VcrShell, RealShell, lambda shell: shell.stamp(1.5, "Name"))
    assert read_tape(tape.path)[0]["args"] == {"at": 1.5, "name": "Name"}
    tape.replay(VcrShell, lambda shell: shell.stamp(2.5, "NAME"))


def test_what_the_application_does_to_its_argument_after_the_call_is_not_recorded(tape):
    def program(shell):
        values = [1, {"deep": [2]}]
        shell.store(values)
        values[1]["deep"].append("later")
        values.append("later")

    tape.same(VcrShell, RealShell, program)
    assert read_tape(tape.path)[0]["args"] == {"values": [1, {"deep": [2]}]}


def test_the_caller_gets_the_bridges_own_objects_while_recording(tape):
    class Same(RealShell):
        result = Result(0, "the one")
        values: list = []  # noqa: RUF012

        def run(self, step, *, cwd, timeout=1.0):
            self.values.append(step)
            return self.result

        async def arun(self, name, delay=0.0):
            return self.result

        def later(self, name):
            return self.arun(name)

    async def program(shell):
        step = Step("x")
        assert shell.run(step, cwd=Path()) is Same.result
        assert Same.values[-1] is step
        assert await shell.arun("x") is Same.result
        assert await shell.later("x") is Same.result

    tape.record(VcrShell, Same, program)


def test_a_call_that_never_returns_ends_the_same_way(tape):
    def program(shell):
        with pytest.raises(SystemExit) as caught:
            shell.exit(4)
        return caught.value.code

    assert tape.same(VcrShell, RealShell, program) == 4


def test_wrappers_with_names_may_be_made_in_any_order(tape):
    def program(cassette, real, *names):
        shells = {}
        for name in names:
            with cassette.naming(name):
                shells[name] = VcrShell.attach(cassette, real)
        return [shells["near"].read(1), shells["far"].read(2)]

    with Cassette(tape.path, "all") as cassette:
        recorded = program(cassette, RealShell, "near", "far")
    assert [entry["on"] for entry in read_tape(tape.path)] == ["Shell~near", "Shell~far"]
    with Cassette(tape.path, "none") as cassette:
        assert recorded == program(cassette, RealShell, "far", "near")
    with pytest.raises(UsageError, match="name: expected letters"):
        cassette.naming("two words")


def test_it_makes_no_difference_which_of_interchangeable_wrappers_is_called(tape):
    def program(cassette, real, *, called):
        with cassette.interchangeable():
            shells = [VcrShell.attach(cassette, real) for _ in range(3)]
        return shells[called].read(1)

    with Cassette(tape.path, "all") as cassette:
        recorded = program(cassette, RealShell, called=2)
    assert "on" not in read_tape(tape.path)[0]
    with Cassette(tape.path, "none") as cassette:
        assert recorded == program(cassette, RealShell, called=0)


def test_several_wrappers_of_one_boundary_share_a_tape(tape):
    def program(cassette, real):
        one, two = VcrShell.attach(cassette, real), VcrShell.attach(cassette, real)
        return [two.read(1), one.read(2), two.read(3)]

    with Cassette(tape.path, "all") as cassette:
        program(cassette, RealShell)
    assert [entry.get("on", "") for entry in read_tape(tape.path)] == ["Shell~2", "", "Shell~2"]
    with Cassette(tape.path, "none") as cassette:
        assert program(cassette, RealShell) == [1, 2, 3]


def test_a_recording_warns_of_arguments_that_the_environment_changed(tape):
    def program(shell):
        return [
            shell.fill(bytearray(b"...."), {"a": [1, 2]}, []),
            shell.fill(bytearray(), {"a": [2, 1]}, []),
            shell.fill(bytearray(), {}, [Step("one")]),
        ]

    with pytest.warns(InexactReplayWarning) as warned:
        tape.record(VcrShell, RealShell, program)
    assert [str(warning.message).partition(": ")[2].partition(",")[0] for warning in warned] == [
        "Shell.fill changed its argument `buffer`",
        "Shell.fill changed its argument `found`",
        "Shell.fill changed its argument `more`",
    ]
    assert {warning.filename for warning in warned} == {inspect.getfile(type(tape))}
    assert tape.replay(VcrShell, program) == [4, 0, 0]


def test_a_recording_does_not_warn_of_arguments_that_stay_as_they_were(tape):
    def program(shell):
        return shell.fill(bytearray(), {"a": [1]}, [])

    assert tape.same(VcrShell, RealShell, program) == 0


def test_threads_share_a_tape(tape):
    def program(shell):
        results = {}

        def work(name):
            results[name] = [shell.read(f"{name}{number}") for number in range(5)]

        threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return results

    tape.same(VcrShell, RealShell, program)
