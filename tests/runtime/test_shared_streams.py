"""Streams that several tasks or threads read at once."""

import asyncio
import contextlib
import threading
from functools import partial

import pytest
from sample.bridges import RealFeed
from sample.shared import BarrierFeed, SubscribedFeed, Subscription
from vcr_sample import VcrFeed

from vcr_gen import DivergenceError, InexactReplayWarning

RUNS, GOES_ON = threading.Event(), threading.Event()


class _Held(RealFeed):
    """Runs until somebody else has asked, too."""

    def lines(self, name):
        for letter in name:
            RUNS.set()
            assert GOES_ON.wait(10)
            yield letter


async def _ask_twice(feed):
    lines = feed.alines("abc")
    asked = await asyncio.gather(anext(lines), anext(lines), return_exceptions=True)
    return [str(answer) for answer in asked], [line async for line in lines]


def test_who_asks_an_asynchronous_generator_that_runs_does_not_end_it(tape):
    plain = asyncio.run(_ask_twice(RealFeed()))
    assert tape.same(VcrFeed, RealFeed, _ask_twice) == plain
    assert plain[1] == ["b", "c"]
    assert tape.words() == ["call", *["item"] * 4, "end"]


def _by_workers(count=2, pause=0.003):
    async def program(feed):
        lines, seen = feed.alines("abcdefg"), []

        async def work(name):
            async for line in lines:
                seen.append((name, line))
                await asyncio.sleep(pause if name else 0)
            seen.append((name, "done"))

        await asyncio.gather(*map(work, range(count)))
        return seen

    return program


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("pause", [0, 0.003, 0.007])
def test_each_of_several_tasks_gets_what_it_got(tape, count, pause):
    seen = tape.same(VcrFeed, SubscribedFeed, _by_workers(count, pause))
    assert sorted(line for _, line in seen if line != "done") == list("abcdefg")
    assert len({name for name, _ in seen}) == count


def test_a_reader_more_than_there_were_comes_to_the_end_too(tape):
    tape.record(VcrFeed, SubscribedFeed, _by_workers(2))
    replayed = tape.replay(VcrFeed, _by_workers(3))
    assert sorted(line for _, line in replayed if line != "done") == list("abcdefg")
    assert sorted(name for name, line in replayed if line == "done") == [0, 1, 2]


def _ask_while_it_runs(feed):
    lines = feed.lines("ab")
    seen = []

    def refused(ask):
        try:
            ask()
        except ValueError as error:
            seen.append(str(error))

    def beside():
        RUNS.wait()
        refused(lambda: next(lines))
        refused(lines.close)
        GOES_ON.set()

    RUNS.clear()
    GOES_ON.clear()
    thread = threading.Thread(target=beside)
    thread.start()
    seen.append(next(lines))
    thread.join()
    return [*seen, *lines]


def test_who_asks_or_closes_a_generator_that_runs_does_not_end_it(tape):
    plain = _ask_while_it_runs(_Held())
    assert tape.record(VcrFeed, _Held, _ask_while_it_runs) == plain
    assert plain == [*["generator already executing"] * 2, "a", "b"]
    assert tape.words() == ["call", "item", "closed", "item", "item", "item", "end"]


def _in_two_threads(feed):
    lines, seen = feed.lines("abcdef"), {"A": [], "B": []}
    threads = {
        name: threading.Thread(target=lambda name: seen[name].extend(lines), args=(name,))
        for name in seen
    }
    for thread in threads.values():
        thread.start()
    for thread in threads.values():
        thread.join()
    return seen


def test_two_threads_get_each_item_once_and_the_end_is_on_the_tape_once(tape):
    recorded = tape.record(VcrFeed, BarrierFeed, _in_two_threads)
    replayed = tape.replay(VcrFeed, _in_two_threads)
    for seen in (recorded, replayed):
        assert sorted(seen["A"] + seen["B"]) == list("abcdef")
    assert tape.words() == ["call", *["item"] * 7, "end"]


def test_what_a_reader_gets_of_a_stream_that_another_closed_is_told_not_to_be_on_the_tape(tape):
    class Last(RealFeed):
        def alines(self, name):
            return Subscription(name, last="z")

    async def program(feed):
        lines = feed.alines("")
        reader = asyncio.create_task(anext(lines))
        await asyncio.sleep(0)
        await lines.aclose()
        return await reader

    with pytest.warns(InexactReplayWarning, match="1 items of streams arrived"):
        assert tape.record(VcrFeed, Last, program) == "z"
    assert tape.words() == ["call", "closed", "end"]


def test_readers_that_are_cancelled_together_are_cancelled_again(tape):
    class Silent(RealFeed):
        """Has nothing to say."""

        def alines(self, name):
            return self

        def __aiter__(self):
            return self

        async def __anext__(self):
            await asyncio.sleep(5)

    async def program(feed):
        lines, seen = feed.alines("abc"), []

        async def read(name):
            try:
                async for _ in lines:
                    pass
                seen.append((name, "end"))
            except asyncio.CancelledError:
                seen.append((name, "cancelled"))
                raise

        async def fail():
            await feed.aupload(_nothing())
            raise KeyError

        with contextlib.suppress(ExceptionGroup):
            async with asyncio.TaskGroup() as group:
                for name in "xyz":
                    group.create_task(read(name))
                group.create_task(fail())
        return seen

    async def _nothing():
        for chunk in ():
            yield chunk

    seen = tape.same(VcrFeed, Silent, program)
    assert seen == [(name, "cancelled") for name in "xyz"]


def test_each_of_several_readers_may_be_cancelled_while_others_get_items(tape):
    async def program(feed):
        lines, seen = feed.alines("abcdefgh"), []

        async def work(name, patience):
            while True:
                try:
                    seen.append((name, await asyncio.wait_for(anext(lines), patience)))
                except TimeoutError:
                    seen.append((name, "time-out"))
                except StopAsyncIteration:
                    return

        await asyncio.gather(work("x", 0.0015), work("y", 0.0035), work("z", 1))
        return seen

    seen = tape.same(VcrFeed, SubscribedFeed, program)
    assert {line for _, line in seen} == {*"abcdefgh", "time-out"}


def test_one_reader_more_that_is_cancelled_is_told(tape):
    async def program(feed, cancelled):
        lines = feed.alines("abc")
        readers = [asyncio.create_task(_first_of(lines)) for _ in range(3)]
        await asyncio.sleep(0.001)
        for reader in readers[:cancelled]:
            reader.cancel()
        return await asyncio.gather(*readers, return_exceptions=True)

    tape.record(VcrFeed, SubscribedFeed, partial(program, cancelled=1))
    with pytest.raises(DivergenceError, match=r"Feed\.alines was cancelled; in the recording"):
        tape.replay(VcrFeed, partial(program, cancelled=2))


async def _first_of(lines):
    return await anext(lines)
