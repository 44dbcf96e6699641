"""Streams that several tasks or threads read at once."""

import asyncio
import threading

import pytest
from sample.bridges import RealFeed
from sample.shared import BarrierFeed, Subscription
from vcr_sample import VcrFeed

from vcr_gen import InexactReplayWarning

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
    assert tape.record(VcrFeed, RealFeed, _ask_twice) == plain
    assert plain[1] == ["b", "c"]
    assert tape.words() == ["call", *["item"] * 4, "end"]


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
    lines, seen = feed.lines("abcdef"), []
    threads = [threading.Thread(target=lambda: seen.append(list(lines))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(seen)


def test_the_end_that_two_threads_come_to_is_on_the_tape_once(tape):
    recorded = tape.record(VcrFeed, BarrierFeed, _in_two_threads)
    assert sorted("".join(recorded[0] + recorded[1])) == list("abcdef")
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

    with pytest.warns(InexactReplayWarning, match="1 answers came from streams"):
        assert tape.record(VcrFeed, Last, program) == "z"
    assert tape.words() == ["call", "closed", "end"]
