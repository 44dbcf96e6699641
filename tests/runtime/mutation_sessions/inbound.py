"""Sessions in which the environment calls the application."""

import asyncio
from typing import Any

from sample.application import RealClient
from sample.models import Level, Step

from mutation_sessions.kinds import Inbound, attempt


def calls_in(server: Any) -> None:
    server.run(Step("build", ("a", "b"), {"cpu": 1}, Level.HIGH))
    server.status()
    server.join("a", "b", n=1)
    server.login("me", token="hunter2")
    server.read("text")
    attempt(server.fail, "boom")
    server.load = 4
    list(server.count(2))


def objects_in(server: Any) -> None:
    room = server.open("hall")
    room.say("hi")
    server.close(room)
    talk = server.talk(3)
    next(talk)
    talk.send("hello")
    talk.close()
    server.subscribe(len)
    server.consume(iter([b"ab", b"c"]))
    server.handler("<")("x")
    server.connect(RealClient(2))
    server.status()
    with server.lock(True):
        raise KeyError("x")


async def overlapping_in(server: Any) -> None:
    await asyncio.gather(server.start("longer name"), server.start("x"))
    _ = [number async for number in server.acount(2)]
    async with server.alock(False) as key:
        server(key)


INBOUND = (
    Inbound("calls in", calls_in),
    Inbound("objects in", objects_in),
    Inbound("overlapping in", overlapping_in),
)
