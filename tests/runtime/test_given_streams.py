"""Streams of the program that the environment reads in turns with other things."""

import asyncio
from threading import Thread

import pytest
from sample.bridges import RealFeed
from tape_data import read_tape
from vcr_sample import VcrFeed, VcrMixer

from vcr_gen.errors import DivergenceError, IncompleteError, UnusedEventsError


class RealMixer:
    def zip(self, numbers, words):
        return [f"{number}{word}" for number, word in zip(numbers, words, strict=False)]

    async def zip_later(self, numbers, words):
        found = []
        for number, word in zip(numbers, words, strict=False):
            await asyncio.sleep(0)
            found.append(f"{number}{word}")
        return found

    async def azip(self, numbers, words):
        return [f"{number}{next(words)}" async for number in numbers]

    def told(self, numbers, tell):
        return [tell(number) for number in numbers]

    def keep(self, numbers):
        self._numbers = numbers
        return next(numbers)

    def more(self):
        return next(self._numbers)

    def close(self):
        self._numbers.close()

    def total(self, numbers, more=None):
        return sum(numbers) + sum(more or ())

    def hushed(self, words):
        return len(list(words))

    def either(self, numbers):
        return sum(numbers)


def counted(log, upto=3):
    try:
        for number in range(upto):
            log.append(number)
            yield number
    finally:
        log.append("closed")


def spelled(log, words="abc"):
    for word in words:
        log.append(word)
        yield word


def test_two_streams_are_read_in_turns(tape):
    def program(mixer):
        log = []
        return mixer.zip(counted(log), spelled(log)), log

    found, log = tape.same(VcrMixer, RealMixer, program)
    assert found == ["0a", "1b", "2c"]
    assert log == [0, "a", 1, "b", 2, "c", "closed"]


def test_what_one_of_two_streams_gives_is_asserted(tape):
    def program(mixer, words="abc"):
        return mixer.zip(counted([]), spelled([], words))

    tape.record(VcrMixer, RealMixer, program)
    with pytest.raises(DivergenceError, match=r"the stream `words` given to Mixer\.zip"):
        tape.replay(VcrMixer, lambda mixer: program(mixer, "abx"))


def test_a_callback_comes_between_two_items(tape):
    def program(mixer):
        log = []

        def tell(number):
            log.append(f"told {number}")
            return "x" * number

        return mixer.told(counted(log), tell), log

    found, log = tape.same(VcrMixer, RealMixer, program)
    assert found == ["", "x", "xx"]
    assert log == [0, "told 0", 1, "told 1", 2, "told 2", "closed"]


def test_a_stream_is_read_on_in_a_later_call(tape):
    def program(mixer):
        log = []
        log.append(f"kept {mixer.keep(counted(log))}")
        log.append(f"more {mixer.more()}")
        mixer.close()
        return log

    expected = [0, "kept 0", 1, "more 1", "closed"]
    assert tape.same(VcrMixer, RealMixer, program) == expected


def test_a_stream_is_read_on_in_a_call_of_another_thread(tape):
    def program(mixer):
        log = []
        mixer.keep(counted(log))
        thread = Thread(target=lambda: log.append(f"more {mixer.more()}"))
        thread.start()
        thread.join()
        return log[:3]

    assert tape.same(VcrMixer, RealMixer, program) == [0, 1, "more 1"]


@pytest.mark.parametrize("order", ["total", "lanes"])
def test_two_streams_are_read_in_turns_in_any_order_of_calls(tape, order):
    def program(mixer):
        return mixer.zip(counted([]), spelled([])), mixer.told(counted([]), str)

    recorded = tape.record(VcrMixer, RealMixer, program, order=order)
    assert tape.replay(VcrMixer, program, order=order) == recorded


def test_two_streams_are_read_in_turns_by_a_coroutine(tape):
    async def program(mixer):
        log = []
        return await mixer.zip_later(counted(log), spelled(log)), log

    found, log = tape.same(VcrMixer, RealMixer, program)
    assert found == ["0a", "1b", "2c"]
    assert log == [0, "a", 1, "b", 2, "c", "closed"]


def test_an_asynchronous_stream_and_another_are_read_in_turns(tape):
    async def program(mixer):
        log = []

        async def numbers():
            for number in range(3):
                log.append(number)
                yield number

        return await mixer.azip(numbers(), spelled(log)), log

    found, log = tape.same(VcrMixer, RealMixer, program)
    assert found == ["0a", "1b", "2c"]
    assert log == [0, "a", 1, "b", 2, "c"]


def test_an_iterator_for_an_iterable_is_read_by_the_environment_and_asserted(tape):
    def program(mixer, upto=3):
        log = []
        found = [
            mixer.total(counted(log, upto)),
            mixer.total([1, 2], more=map(abs, [-4])),
            mixer.total((5,), None),
            mixer.either(iter([6, 7])),
        ]
        return found, log

    assert tape.same(VcrMixer, RealMixer, program) == ([3, 7, 5, 13], [0, 1, 2, "closed"])
    calls = [entry for entry in read_tape(tape.path) if entry.get("of") == "Mixer.total"]
    assert [call["args"]["numbers"] for call in calls[1:]] == [
        [1, 2],
        {"$type": "tuple", "$value": [5]},
    ]
    with pytest.raises(DivergenceError, match=r"the stream `numbers` given to Mixer\.total"):
        tape.replay(VcrMixer, lambda mixer: program(mixer, 4))


def test_an_iterator_that_is_marked_secret_is_refused(tape):
    assert tape.same(VcrMixer, RealMixer, lambda mixer: mixer.hushed(["psst"])) == 1
    assert "psst" not in tape.path.read_text()
    with pytest.raises(IncompleteError, match=r"Mixer\.hushed: argument `words`"):
        tape.record(VcrMixer, RealMixer, lambda mixer: mixer.hushed(iter(["psst"])))


def test_a_stream_goes_out_while_another_comes_in(tape):
    def program(feed, first=b"a"):
        log = []

        def source():
            for chunk in (first, b"bb", b"ccc"):
                log.append(chunk)
                yield chunk

        sizes = feed.sizes(source())
        while (size := next(sizes, None)) is not None:
            log.append(size)
        return log

    assert tape.same(VcrFeed, RealFeed, program) == [b"a", 1, b"bb", 2, b"ccc", 3]
    with pytest.raises(DivergenceError, match="yielded a different item"):
        tape.replay(VcrFeed, lambda feed: program(feed, b"x"))


def test_a_stream_that_goes_out_may_itself_take_one_that_comes_in(tape):
    def program(feed):
        chunks = (b"." * size for size in feed.sizes(iter([b"a", b"bb"])))
        return list(feed.sizes(chunk * 2 for chunk in chunks))

    assert tape.same(VcrFeed, RealFeed, program) == [2, 4]


def test_streams_of_a_loop_go_out_while_others_come_in(tape):
    async def program(feed):
        log = []

        async def source():
            for chunk in (b"a", b"bb"):
                log.append(chunk)
                yield chunk

        sizes = feed.asizes(source())
        while (size := await anext(sizes, None)) is not None:
            log.append(size)
        return log

    assert tape.same(VcrFeed, RealFeed, program) == [b"a", 1, b"bb", 2]


def test_who_stops_reading_earlier_is_told_also_while_a_stream_goes_out(tape):
    def program(feed, most=2):
        sizes = feed.sizes(iter([b"a", b"bb"]))
        return [next(sizes) for _ in range(most)]

    assert tape.same(VcrFeed, RealFeed, program) == [1, 2]
    with pytest.raises(UnusedEventsError):
        tape.replay(VcrFeed, lambda feed: program(feed, 1))
