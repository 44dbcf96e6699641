"""Somebody waits for what cannot come: in tasks, threads, streams and cancelled calls."""

import asyncio
import threading
from typing import Any

from shop.real import RealBank, RealFeed
from vcr_shop import VcrBank, VcrFeed

from situations.staging import TAPE, Program, bank, replay, situation
from vcr_gen import Cassette


async def cancels(b: Any) -> None:
    task = asyncio.create_task(b.rate("usd"), name="asking")
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])


@situation
def a_call_is_cancelled_that_came_to_its_end() -> None:
    async def recorded(b: Any) -> None:
        await b.rate("usd")

    bank(recorded, cancels)


@situation
def a_call_is_no_longer_cancelled() -> None:
    async def actual(b: Any) -> None:
        await asyncio.create_task(b.rate("usd"), name="asking")

    bank(cancels, actual)


@situation
def the_recording_stopped_while_a_call_was_in_flight() -> None:
    async def recorded() -> None:
        with Cassette(TAPE, "all") as cassette:
            task = asyncio.create_task(VcrBank.attach(cassette, RealBank).rate("usd"))
            await asyncio.sleep(0)
        await task

    async def actual(b: Any) -> None:
        await asyncio.create_task(b.rate("usd"), name="asking")

    asyncio.run(recorded())
    replay(VcrBank, actual)


@situation
def one_of_several_calls_at_once_changed() -> None:
    def program(*names: str) -> Program:
        async def use(b: Any) -> None:
            await asyncio.gather(*(b.rate(name) for name in names))

        return use

    bank(program("usd", "eur"), program("usd", "yen"))


@situation
def a_call_in_a_task_group_changed() -> None:
    async def ask(b: Any, name: str) -> None:
        await b.rate(name)

    async def program(*names: str) -> None:
        with Cassette(TAPE, "once") as cassette:
            b = VcrBank.attach(cassette, RealBank)
            async with asyncio.TaskGroup() as group:
                for name in names:
                    group.create_task(ask(b, name))

    asyncio.run(program("usd", "eur"))
    asyncio.run(program("usd", "yen"))


@situation
def a_task_waits_for_ever_before_its_next_call() -> None:
    async def recorded(b: Any) -> None:
        await b.rate("usd")
        await b.rate("eur")

    async def actual(b: Any) -> None:
        await b.rate("usd")
        await asyncio.Event().wait()
        await b.rate("eur")

    bank(recorded, actual)


@situation
def a_loop_over_a_stream_skips_a_call() -> None:
    def program(*, pays: bool) -> Any:
        with Cassette(TAPE, "once") as cassette:
            taped = VcrBank.attach(cassette, RealBank)
            for price in VcrFeed.attach(cassette, RealFeed).prices("tea"):
                if pays:
                    taped.pay("ann", price)

    program(pays=True)
    program(pays=False)


@situation
def the_rest_of_a_stream_is_not_read_before_the_next_call() -> None:
    def program(*, whole: bool) -> None:
        with Cassette(TAPE, "once") as cassette:
            prices = VcrFeed.attach(cassette, RealFeed).prices("tea")
            _ = list(prices) if whole else next(prices)
            VcrBank.attach(cassette, RealBank).balance("ann")

    program(whole=True)
    program(whole=False)


@situation
def a_thread_never_makes_its_call() -> None:
    gate = threading.Event()

    def program(*, hangs: bool) -> Program:
        def use(b: Any) -> None:
            def work() -> None:
                if hangs:
                    gate.wait(30)
                else:
                    b.balance("bob")

            worker = threading.Thread(target=work, name="worker", daemon=True)
            worker.start()
            if not hangs:
                worker.join()
            b.balance("ann")

        return use

    try:
        bank(program(hangs=False), program(hangs=True), patience=0.3)
    finally:
        gate.set()
