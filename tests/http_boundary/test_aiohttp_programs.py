"""Random concurrent programs that use aiohttp in every way see the same in a replay."""

import asyncio
import random
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from test_aiohttp import CHUNKED, END, chunk, running, serving, whole

from vcr_gen import Cassette

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n"
USES = ("read", "chunks", "any", "early", "close", "again", "ignore", "late", "total")


def answer(handler: BaseHTTPRequestHandler) -> None:
    """Answer each path in its own way, at once or in pieces."""
    chance = random.Random(handler.path)
    match chance.choice(["whole", "chunked", "pieces"]):
        case "whole":
            pieces = [whole(b"whole")]
        case "chunked":
            sizes = [chance.choice([1, 1, 2]) for _ in range(chance.randrange(6))]
            pieces = [CHUNKED, *(chunk(b"data") * size for size in sizes), END]
        case _:
            pieces = [HEAD, *([b"0123456789"] * 4)]
    for piece in pieces:
        handler.wfile.write(piece)
        handler.wfile.flush()
        time.sleep(chance.random() * 0.015)


async def use(response: aiohttp.ClientResponse, how: str, pause: float, log: list[Any]) -> None:
    content = response.content
    match how:
        case "read" | "total":
            log.append(await response.read())
        case "chunks":
            while not content.at_eof():
                log.append(await content.readchunk())
        case "any":
            while piece := await content.readany():
                log.append(piece)
        case "early":
            log.append(await content.readany())
        case "close":
            response.close()
        case "again":
            while not content.at_eof():
                try:
                    log.append(await asyncio.wait_for(content.readany(), 0.008))
                except TimeoutError:
                    log.append("timeout")
        case "ignore":
            await asyncio.sleep(pause)
        case "late":
            await asyncio.sleep(pause)
            log.append((await response.read(), response.connection is None))


@pytest.mark.parametrize(
    "seeds", [range(20), pytest.param(range(20, 400), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_random_programs_see_the_same_in_a_replay(tmp_path: Path, seeds: range) -> None:
    with serving(answer) as base:
        for seed in seeds:

            async def program(session: aiohttp.ClientSession, base: str, seed: int = seed) -> Any:
                log: list[Any] = []

                async def work(number: int) -> None:
                    chance = random.Random(f"{seed} {number}")
                    for _ in range(3):
                        how, path = chance.choice(USES), f"{base}/{chance.randrange(50)}"
                        timeout = aiohttp.ClientTimeout(total=0.02 if how == "total" else 20)
                        pause = chance.random() * 0.03
                        try:
                            async with session.get(path, timeout=timeout) as response:
                                log.append((number, how, response.closed))
                                await use(response, how, pause, log)
                        except (aiohttp.ClientError, TimeoutError) as error:
                            log.append((number, type(error), str(error)))

                await asyncio.gather(*map(work, range(4)))
                return log

            with Cassette(tmp_path / "tape.jsonl", "all") as cassette:
                recorded = running(program, base, cassette)
            with Cassette(tmp_path / "tape.jsonl", "none") as cassette:
                assert recorded == running(program, base, cassette), seed
