"""Sessions of streams that the environment gives and takes."""

from collections.abc import Callable
from typing import Any

from sample.bridges import RealFeed, StubbornFeed
from vcr_sample import VcrFeed

from mutation_sessions.kinds import Outbound, attempt


def drained(stream: Any) -> Any:
    """The items of a stream, and what it returns."""
    seen = []
    while True:
        try:
            seen.append(next(stream))
        except StopIteration as finished:
            return seen, finished.value


def talked(feed: Any) -> Any:
    talk = feed.talk(3)
    seen = [next(talk), talk.send("hello"), talk.throw(ValueError("no"))]
    try:
        talk.send("bye")
    except StopIteration as finished:
        seen.append(finished.value)
    return seen


def closed_early(feed: Any) -> Any:
    lines = feed.lines("qrs")
    first = next(lines)
    lines.close()
    return first


def broken(feed: Any) -> Any:
    lines = feed.lines("x!")
    return [next(lines), attempt(next, lines)]


def went_on(letters: str) -> Callable[[Any], Any]:
    """Asks a stream on that raises in between."""

    def step(feed: Any) -> Any:
        lines = feed.lines(letters)
        return [attempt(next, lines) for _ in range(len(letters) + 1)]

    return step


async def streamed(feed: Any) -> Any:
    return [item async for item in feed.alines("ab")]


async def streamed_later(feed: Any) -> Any:
    lines = await feed.alines_later("xyz")
    first = await anext(lines)
    await lines.aclose()
    return first


async def atalked(feed: Any) -> Any:
    talk = feed.atalk(1)
    return [await anext(talk), await talk.asend("abc"), await talk.athrow(ValueError("no"))]


async def auploaded(feed: Any) -> Any:
    async def chunks() -> Any:
        yield b"a"
        yield b"bc"

    return await feed.aupload(chunks())


STREAMS = (
    Outbound(
        "streams",
        VcrFeed,
        RealFeed,
        (
            lambda feed: drained(feed.lines("abc")),
            closed_early,
            broken,
            talked,
            lambda feed: drained(feed.words(True)),
            lambda feed: feed.words(False),
            lambda feed: feed.upload(iter([b"ab", b"\xff"])),
        ),
    ),
    Outbound("streams that go on", VcrFeed, StubbornFeed, (went_on("a!b"), went_on("?!"))),
    Outbound("async streams", VcrFeed, RealFeed, (streamed, streamed_later, atalked, auploaded)),
)
