"""Programs that do whatever they like with a recorded session: each ends within the bound."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import uvloop

from concurrency.sessions import BOUND, record, replay
from vcr_gen.errors import DivergenceError, UnusedEventsError

Program = Callable[[Any], Awaitable[Any]]
LOOPS = {"asyncio": None, "uvloop": uvloop.new_event_loop}


async def usual(world: Any) -> None:
    """What was recorded: three calls at once, then a stream, then one call more."""
    await asyncio.gather(*(world.fetch(key) for key in "abc"))
    async for _ in world.watch("s", 2):
        await world.fetch("d")
    await world.fetch("e")


async def drops(world: Any) -> None:
    await asyncio.gather(*(world.fetch(key) for key in "ab"))
    await _rest(world)


async def adds(world: Any) -> None:
    await asyncio.gather(*(world.fetch(key) for key in "abcx"))
    await _rest(world)


async def alters(world: Any) -> None:
    await asyncio.gather(*(world.fetch(key) for key in "abx"))
    await _rest(world)


async def reorders(world: Any) -> None:
    await world.fetch("e")
    await usual(world)


async def _rest(world: Any) -> None:
    async for _ in world.watch("s", 2):
        await world.fetch("d")
    await world.fetch("e")


async def cancels_early(world: Any) -> None:
    task = asyncio.create_task(usual(world))
    for _ in range(3):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    await usual(world)


async def times_out_at_once(world: Any) -> None:
    try:
        async with asyncio.timeout(1e-7):
            await usual(world)
    except TimeoutError:
        await usual(world)


async def locks_in_a_circle(world: Any) -> None:
    one, other = asyncio.Lock(), asyncio.Lock()

    async def take(first: asyncio.Lock, second: asyncio.Lock, key: str) -> None:
        async with first:
            await world.fetch(key)
            async with second:
                await world.fetch("d")

    await asyncio.gather(take(one, other, "a"), take(other, one, "b"), world.fetch("c"))


async def waits_for_an_empty_queue(world: Any) -> None:
    await asyncio.gather(*(world.fetch(key) for key in "abc"))
    await asyncio.Queue[str]().get()


async def swallows_everything(world: Any) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            await world.fetch("x")
        except asyncio.CancelledError:
            raise
        except BaseException:
            await asyncio.sleep(0.01)


async def swallows_even_cancellation(world: Any) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            await world.fetch("a")
            await asyncio.Event().wait()
        except BaseException:
            await asyncio.sleep(0)


async def shields_and_cancels(world: Any) -> None:
    inner = asyncio.ensure_future(world.fetch("a"))
    outer = asyncio.create_task(_awaits(asyncio.shield(inner)))
    await asyncio.sleep(0)
    outer.cancel()
    await asyncio.wait([outer])
    await asyncio.Event().wait()


async def _awaits(future: "asyncio.Future[Any]") -> Any:
    return await future


async def fails_in_a_group(world: Any) -> None:
    async with asyncio.TaskGroup() as group:
        for key in "abc":
            group.create_task(world.fetch(key))
        group.create_task(_fail())


async def _fail() -> None:
    await asyncio.sleep(0)
    raise ZeroDivisionError


async def abandons_a_generator(world: Any) -> None:
    async def relabelled() -> AsyncIterator[str]:
        async for item in world.watch("s", 2):
            yield item

    await asyncio.gather(*(world.fetch(key) for key in "abc"))
    items = relabelled()
    await anext(items)
    del items
    await world.fetch("e")


async def ends_with_calls_in_flight(world: Any) -> None:
    leaving.extend(asyncio.create_task(world.fetch(key)) for key in "abc")
    await asyncio.sleep(0)


leaving: list[asyncio.Task[Any]] = []


async def runs_a_loop_in_a_thread(world: Any) -> None:
    def work() -> None:
        asyncio.run(_never(world))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    await asyncio.gather(*(world.fetch(key) for key in "ab"))
    await asyncio.to_thread(thread.join, 1)


async def _never(world: Any) -> None:
    await world.fetch("c")
    await asyncio.Event().wait()


async def spins(world: Any) -> None:
    await asyncio.gather(*(world.fetch(key) for key in "abc"))
    until = time.monotonic() + 60
    while time.monotonic() < until:
        await world.fetch("x")
        await asyncio.sleep(0)


async def does_nothing(world: Any) -> None:
    del world


CHANGED: list[Program] = [
    drops,
    adds,
    alters,
    reorders,
    cancels_early,
    times_out_at_once,
    locks_in_a_circle,
    waits_for_an_empty_queue,
    swallows_everything,
    swallows_even_cancellation,
    shields_and_cancels,
    fails_in_a_group,
    abandons_a_generator,
    ends_with_calls_in_flight,
    runs_a_loop_in_a_thread,
    spins,
    does_nothing,
]


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("changed", CHANGED, ids=[one.__name__ for one in CHANGED])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
# Who swallows everything, and is left behind, swallows also that it is collected.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_changed_program_ends_within_the_bound(changed: Program, loop: str, tape: Path) -> None:
    leaving.clear()
    record(tape, usual)
    began = time.monotonic()

    with pytest.raises(BaseException) as caught:  # noqa: PT011 - looked at below
        replay(tape, changed, loop_factory=LOOPS[loop], patience=0.5)

    assert time.monotonic() - began < BOUND
    errors = list(_leaves(caught.value))
    assert any(isinstance(one, DivergenceError | UnusedEventsError) for one in errors), errors
    for one in errors:
        if isinstance(one, DivergenceError):
            assert "next expected event:" in str(one) or "nearest" in str(one), str(one)


def _leaves(error: BaseException) -> list[BaseException]:
    """The errors of a group, and what they were raised in the course of."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for one in error.exceptions for leaf in _leaves(one)]
    notes = getattr(error, "__notes__", [])
    found = [error]
    if any("in the replay of" in note for note in notes):
        found.append(error.__context__ or error)
    return found
