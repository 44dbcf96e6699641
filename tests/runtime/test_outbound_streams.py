"""Streams from the environment, and streams that the application sends there."""

import asyncio
import re
import threading
from collections import UserList, deque
from contextlib import suppress

import pytest
from sample.bridges import EagerFeed, RealFeed, StubbornFeed
from sample.models import BoomError
from tape_data import read_tape
from vcr_sample import VcrFeed

from vcr_gen.errors import DivergenceError, IncompleteError, UsageError


def test_items_are_replayed_one_at_a_time(tape):
    def program(feed):
        return list(feed.lines("abc"))

    assert tape.same(VcrFeed, RealFeed, program) == ["a", "b", "c"]
    assert tape.words() == ["call", "item", "item", "item", "end"]


def test_a_bridges_stream_advances_only_when_an_item_is_asked_for(tape):
    real = RealFeed()

    def program(feed):
        lines = feed.lines("abc")
        seen = [list(real.steps)]
        next(lines)
        seen.append(list(real.steps))
        lines.close()
        return seen

    assert tape.record(VcrFeed, lambda: real, program) == [[], ["a"]]


def test_a_stream_that_raises_does_so_after_the_same_items(tape):
    def program(feed):
        lines = feed.lines("ab!")
        seen = [next(lines), next(lines)]
        with pytest.raises(BoomError) as caught:
            next(lines)
        return [*seen, caught.value.where, next(lines, "end")]

    assert tape.same(VcrFeed, RealFeed, program) == ["a", "b", "ab!", "end"]


@pytest.mark.parametrize("bridge", [RealFeed, EagerFeed])
def test_a_stream_raises_when_it_is_called_or_when_it_is_used_as_recorded(tape, bridge):
    def program(feed):
        try:
            lines = feed.lines("!")
        except BoomError as error:
            return "called", error.where
        with pytest.raises(BoomError) as caught:
            next(lines)
        return "used", caught.value.where

    assert tape.same(VcrFeed, bridge, program) == (
        "called" if bridge is EagerFeed else "used",
        "!",
    )


@pytest.mark.parametrize("lazy", [True, False])
def test_an_iterable_raises_when_it_is_called_or_when_it_is_used_as_recorded(tape, lazy):
    def program(feed):
        try:
            words = feed.words(lazy)
        except BoomError:
            return "called"
        with pytest.raises(BoomError):
            list(words)
        return "used"

    assert tape.same(VcrFeed, EagerFeed, program) == ("used" if lazy else "called")


def test_a_stream_that_raised_when_it_was_called_says_so_on_the_tape(tape):
    def program(feed):
        with pytest.raises(BoomError):
            feed.lines("!")

    tape.record(VcrFeed, EagerFeed, program)
    [event] = read_tape(tape.path)
    assert event["at_call"] is True


@pytest.mark.parametrize("bridge", [RealFeed, EagerFeed])
def test_an_async_stream_raises_when_it_is_called_or_when_it_is_used_as_recorded(tape, bridge):
    async def program(feed):
        await asyncio.sleep(0)
        try:
            lines = feed.alines("!")
        except BoomError:
            return "called"
        with pytest.raises(BoomError):
            await anext(lines)
        return "used"

    assert tape.same(VcrFeed, bridge, program) == ("called" if bridge is EagerFeed else "used")


def test_a_finished_stream_stays_finished(tape):
    def program(feed):
        lines = feed.lines("a")
        return [list(lines), list(lines), next(lines, "end")]

    assert tape.same(VcrFeed, RealFeed, program) == [["a"], [], "end"]


def test_a_stream_closed_early_is_closed_early_again(tape):
    real = RealFeed()

    def program(feed):
        lines = feed.lines("abc")
        first = next(lines)
        lines.close()
        lines.close()
        return first, next(lines, "end")

    assert tape.record(VcrFeed, lambda: real, program) == ("a", "end")
    assert real.steps == ["a", "over"]
    assert tape.replay(VcrFeed, program) == ("a", "end")
    assert tape.words() == ["call", "item", "closed", "end"]


def test_a_stream_that_is_just_dropped_replays(tape):
    def program(feed):
        next(feed.lines("abc"))
        never_begun = feed.lines("never begun")
        del never_begun
        return list(feed.lines("xy"))

    assert tape.same(VcrFeed, RealFeed, program) == ["x", "y"]


def test_closing_a_stream_that_was_not_closed_is_a_divergence(tape):
    def program(feed, close=False):
        lines = feed.lines("ab")
        first = next(lines)
        if close:
            lines.close()
        return first, list(lines)

    tape.record(VcrFeed, RealFeed, program)
    with pytest.raises(DivergenceError, match=r"Feed\.lines"):
        tape.replay(VcrFeed, lambda feed: program(feed, close=True))


def test_closing_a_stream_earlier_than_recorded_is_a_divergence(tape):
    def program(feed, count):
        lines = feed.lines("abc")
        seen = [next(lines) for _ in range(count)]
        with suppress(Exception):
            lines.close()
        return seen

    tape.record(VcrFeed, RealFeed, lambda feed: program(feed, 2))
    with pytest.raises(DivergenceError) as caught:
        tape.replay(VcrFeed, lambda feed: program(feed, 1))
    divergence = caught.value.divergence
    assert divergence.kind == "stream"
    assert divergence.headline.startswith(
        'Feed.lines: the application closed the stream where the tape has Feed.lines(name="abc") '
        'yielding "b" [event '
    )
    assert re.search(r"test_outbound_streams\.py:\d+ in program", divergence.call_site)
    assert divergence.likely == "the stream is no longer read to its end"


def test_closing_an_asynchronous_stream_earlier_than_recorded_is_a_divergence(tape):
    async def program(feed, count):
        lines = feed.alines("abc")
        for _ in range(count):
            await anext(lines)
        await lines.aclose()

    tape.record(VcrFeed, RealFeed, lambda feed: program(feed, 2))
    with pytest.raises(
        DivergenceError, match=r'closed the stream where the tape has .* yielding "b"'
    ):
        tape.replay(VcrFeed, lambda feed: program(feed, 1))


def test_sending_into_a_stream_earlier_than_recorded_is_a_divergence(tape):
    class Patient(RealFeed):
        def talk(self, first):
            for number in range(first):
                self.steps.append((yield number))
            return b""

    def program(feed, before):
        talk = feed.talk(5)
        seen = [next(talk) for _ in range(before)]
        return [*seen, talk.send("hello"), *talk]

    tape.record(VcrFeed, Patient, lambda feed: program(feed, 2))
    with pytest.raises(DivergenceError, match="sent a value into the stream where the tape has"):
        tape.replay(VcrFeed, lambda feed: program(feed, 1))


def test_reading_on_in_a_stream_that_was_left_is_told_with_the_place(tape):
    def read(feed, count):
        for number, _ in enumerate(feed.lines("abcdef"), start=1):
            if number == count:
                break
        return list(feed.words(lazy=False))

    async def program(feed, count):
        async def inner():
            return read(feed, count)

        return await inner()

    for count in (2, 6):
        tape.record(VcrFeed, RealFeed, lambda feed, count=count: program(feed, count))
        with pytest.raises(DivergenceError) as caught:
            tape.replay(VcrFeed, lambda feed, count=count: program(feed, count + 1))
        divergence = caught.value.divergence
        assert divergence.headline == (
            "the program keeps reading Feed.lines, but the recorded loop had ended"
        )
        assert divergence.likely == "the loop over the stream no longer stops at the same item"
        assert re.search(r"test_outbound_streams\.py:\d+ in read$", divergence.call_site)
        assert divergence.call_site in divergence.waiting[0]


def test_reading_on_in_a_stream_that_was_left_at_the_end_of_the_tape_is_told(tape):
    def program(feed, count):
        return [line for line, _ in zip(feed.lines("abcdef"), range(count), strict=False)]

    tape.record(VcrFeed, RealFeed, lambda feed: program(feed, 2))
    with pytest.raises(DivergenceError) as caught:
        tape.replay(VcrFeed, lambda feed: program(feed, 4))
    divergence = caught.value.divergence
    assert divergence.headline == (
        "the program keeps reading Feed.lines, but the recording has no more items"
    )
    assert divergence.likely.startswith("the loop over the stream no longer stops at the same item")


def test_interleaved_streams_keep_their_true_order(tape):
    def program(feed):
        one, two = feed.lines("abc"), feed.lines("xyz")
        return [next(one), next(two), next(two), next(one), *two, *one]

    assert tape.same(VcrFeed, RealFeed, program) == ["a", "x", "y", "b", "z", "c"]


def test_a_generator_takes_values_and_exceptions_and_returns_one(tape):
    def program(feed):
        talk = feed.talk(3)
        seen = [next(talk), talk.send("hello"), talk.throw(ValueError("no"))]
        with pytest.raises(StopIteration) as finished:
            talk.send("bye")
        return [*seen, finished.value.value]

    assert tape.same(VcrFeed, RealFeed, program) == [3, 5, -2, b"bye"]


def test_yield_from_a_recorded_generator_works(tape):
    def program(feed):
        def outer():
            result = yield from feed.talk(1)
            yield result

        talk = outer()
        return [next(talk), talk.send("ab"), talk.send("xyz")]

    assert tape.same(VcrFeed, RealFeed, program) == [1, 2, b"xyz"]


@pytest.mark.parametrize(("lazy", "kind"), [(True, "item"), (False, "call")])
def test_an_iterable_is_a_stream_or_a_value_as_the_bridge_made_it(tape, lazy, kind):
    def program(feed):
        words = feed.words(lazy)
        return [isinstance(words, list), list(words), list(words)]

    assert tape.same(VcrFeed, RealFeed, program) == [
        not lazy,
        ["x", "y"],
        [] if lazy else ["x", "y"],
    ]


class _Rows:
    """Something to iterate, and nothing else."""

    def __init__(self, letters):
        self._letters = letters

    def __iter__(self):
        for letter in self._letters:
            if letter == "!":
                raise BoomError(1, where="rows")
            yield letter


@pytest.mark.parametrize("rows", [_Rows("xy"), UserList("xy")])
def test_an_iterable_that_no_codec_knows_is_recorded_item_by_item(tape, rows):
    class Odd(RealFeed):
        def words(self, lazy):
            return rows

    assert tape.same(VcrFeed, Odd, lambda feed: list(feed.words(lazy=True))) == ["x", "y"]
    assert tape.words() == ["call", "item", "item", "end"]


def test_an_iterable_that_no_codec_knows_raises_where_it_is_iterated(tape):
    class Odd(RealFeed):
        def words(self, lazy):
            return _Rows("x!")

    def program(feed):
        words = iter(feed.words(lazy=True))
        first = next(words)
        with pytest.raises(BoomError):
            list(words)
        return first, list(words)

    assert tape.same(VcrFeed, Odd, program) == ("x", [])


def test_an_iterable_that_no_codec_knows_cannot_be_gone_through_again(tape):
    class Odd(RealFeed):
        def words(self, lazy):
            return _Rows("xy")

    def program(feed):
        words = feed.words(lazy=True)
        with pytest.raises(UsageError, match=r"result of Feed\.words .* already consumed"):
            return list(words), list(words)

    tape.record(VcrFeed, Odd, program)


@pytest.mark.parametrize("words", [deque("xy"), ("x", "y"), {"x": 1, "y": 2}.keys(), ["x", "y"]])
def test_an_iterable_that_the_codec_knows_stays_one_value(tape, words):
    class Whole(RealFeed):
        def words(self, lazy):
            return words

    def program(feed):
        got = feed.words(lazy=False)
        return list(got), list(got)

    assert tape.same(VcrFeed, Whole, program) == (["x", "y"], ["x", "y"])
    assert tape.words() == ["call"]


def test_what_an_iterable_holds_that_cannot_be_stored_is_told_where_it_is(tape):
    class Wrong(RealFeed):
        def words(self, lazy):
            return deque(["x", object()])

    with pytest.raises(IncompleteError, match=r"Feed\.words: result\[1\]"):
        tape.record(VcrFeed, Wrong, lambda feed: feed.words(lazy=False))


def test_async_items_are_replayed_one_at_a_time(tape):
    async def program(feed):
        direct = [item async for item in feed.alines("abc")]
        awaited = [item async for item in await feed.alines_later("xy")]
        return direct, awaited

    assert tape.same(VcrFeed, RealFeed, program) == (["a", "b", "c"], ["x", "y"])


def test_an_async_stream_raises_and_closes_as_recorded(tape):
    async def program(feed):
        lines = feed.alines("a!")
        seen = [await anext(lines)]
        with pytest.raises(BoomError):
            await anext(lines)
        lines = feed.alines("xyz")
        seen.append(await anext(lines))
        await lines.aclose()
        seen.append(await anext(lines, "end"))
        return seen

    assert tape.same(VcrFeed, RealFeed, program) == ["a", "x", "end"]


def test_an_async_generator_takes_values_and_exceptions(tape):
    async def program(feed):
        one, two = feed.atalk(1), feed.atalk(2)
        seen = [await anext(one), await anext(two), await one.asend("abc"), await two.asend("ab")]
        seen.append(await one.athrow(ValueError("no")))
        seen.append(await two.asend("four"))
        seen.append(await anext(one, "end"))
        return seen

    assert tape.same(VcrFeed, RealFeed, program) == [1, 2, 3, 2, -2, 400, "end"]


def test_the_message_of_a_cancellation_that_is_thrown_into_a_stream_is_not_compared(tape):
    async def program(feed):
        talk, atalk = feed.talk(1), feed.atalk(1)
        seen = [next(talk), await anext(atalk)]
        error = asyncio.CancelledError(f"cancelled by {id(talk):#x} {object()}")
        with pytest.raises(asyncio.CancelledError):
            talk.throw(error)
        with pytest.raises(asyncio.CancelledError):
            await atalk.athrow(error)
        return seen

    assert tape.same(VcrFeed, RealFeed, program) == [1, 1]


def test_a_cancelled_async_stream_is_cancelled_again(tape):
    class Slow(RealFeed):
        async def alines(self, name):
            yield "first"
            await asyncio.Event().wait()

    async def program(feed):
        lines = feed.alines("x")
        seen = [await anext(lines)]
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(lines), 0.01)
        seen.append(await anext(lines, "end"))
        return seen

    assert tape.same(VcrFeed, Slow, program) == ["first", "end"]


def test_a_stream_made_in_one_task_is_consumed_in_another(tape):
    async def program(feed):
        lines = feed.alines("abcd")
        first = await anext(lines)

        async def rest():
            return [item async for item in lines]

        return [first, *await asyncio.create_task(rest())]

    assert tape.same(VcrFeed, RealFeed, program) == ["a", "b", "c", "d"]


def test_a_stream_made_in_one_thread_is_consumed_in_another(tape):
    def program(feed):
        lines = feed.lines("abc")
        seen = [next(lines)]
        thread = threading.Thread(target=lambda: seen.extend(lines))
        thread.start()
        thread.join()
        return seen

    assert tape.same(VcrFeed, RealFeed, program) == ["a", "b", "c"]


def test_a_stream_given_as_argument_is_pulled_by_the_environment(tape):
    def program(feed, chunks=(b"ab", b"\xff\x00c")):
        pulled = []

        def source():
            for chunk in chunks:
                pulled.append(chunk)
                yield chunk

        return feed.upload(source()), pulled

    assert tape.same(VcrFeed, RealFeed, program) == (5, [b"ab", b"\xff\x00c"])
    with pytest.raises(DivergenceError):
        tape.replay(VcrFeed, lambda feed: program(feed, (b"ab", b"other")))


def test_an_async_stream_given_as_argument_is_pulled_by_the_environment(tape):
    async def program(feed):
        async def source():
            for chunk in (b"a", b"bc"):
                await asyncio.sleep(0)
                yield chunk

        return await feed.aupload(source())

    assert tape.same(VcrFeed, RealFeed, program) == 3


def test_the_bridges_own_items_pass_while_recording(tape):
    items = ["".join(["x", str(number)]) for number in range(2)]

    class Same(RealFeed):
        def lines(self, name):
            yield from items

    def program(feed):
        assert all(got is own for got, own in zip(feed.lines(""), items, strict=True))

    tape.record(VcrFeed, Same, program)
    assert [entry["value"] for entry in read_tape(tape.path) if "item" in entry] == items


def test_an_iterator_goes_on_after_it_raised(tape):
    def program(feed):
        lines, seen = feed.lines("a!?b!"), []
        for _ in range(7):
            try:
                seen.append(next(lines, "over"))
            except LookupError as error:
                seen.append(error.args)
        return seen

    expected = ["a", ("!",), ("?",), "b", ("!",), "over", "over"]
    assert tape.same(VcrFeed, StubbornFeed, program) == expected
    assert tape.words() == ["call", *["item"] * 5, "end"]


def test_an_asynchronous_iterator_goes_on_after_it_raised(tape):
    async def program(feed):
        lines, seen = feed.alines("a!?b!"), []
        for _ in range(7):
            try:
                seen.append(await anext(lines, "over"))
            except LookupError as error:
                seen.append(error.args)
        return seen

    expected = ["a", ("!",), ("?",), "b", ("!",), "over", "over"]
    assert tape.same(VcrFeed, StubbornFeed, program) == expected


def test_who_asks_an_iterator_on_that_was_left_after_it_raised_is_told(tape):
    def program(feed, more=False):
        lines = feed.lines("a!b")
        with pytest.raises(LookupError):
            list(lines)
        return next(lines) if more else None

    tape.same(VcrFeed, StubbornFeed, program)
    with pytest.raises(DivergenceError, match="the program keeps reading"):
        tape.replay(VcrFeed, lambda feed: program(feed, more=True))
