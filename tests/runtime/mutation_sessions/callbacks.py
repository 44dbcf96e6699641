"""Sessions in which the environment calls back, also from threads."""

import queue
from collections.abc import Callable
from typing import Any

from sample.bridges import RealBus
from vcr_sample import VcrBus

from mutation_sessions.kinds import Outbound


def subscribed(bus: Any) -> Any:
    seen: list[int] = []

    def notify(number: int) -> str:
        seen.append(number)
        return "x" * number

    stop = bus.on("topic", notify)
    first = [*seen]
    total = bus.publish(2)
    second = [*seen]
    stop()
    return [first, total, second, bus.publish(3), seen]


def told_later(count: int) -> Callable[[Any], Any]:
    """Waits for callbacks of a thread, each of which calls the environment in turn."""

    def step(bus: Any) -> Any:
        inbox: queue.Queue[int] = queue.Queue()

        def notify(number: int) -> str:
            inbox.put(number)
            return f"{count} {bus.publish(number + count)}"

        heard = []
        for _ in range(count):
            bus.after(notify)
            heard.append(inbox.get(timeout=3))
        return heard, bus.wait()

    return step


def listened(bus: Any) -> Any:
    seen = []

    def listen(event: str, weight: int = 1) -> str:
        seen.append((event, weight))
        return event * weight

    return bus.listen(listen), [*seen]


def each(bus: Any) -> Any:
    seen = []

    def notify(number: int) -> str:
        seen.append(number)
        return "y" * number

    return bus.each([1, 2], notify), [*seen]


CALLBACKS = (
    Outbound(
        "callbacks",
        VcrBus,
        RealBus,
        (
            subscribed,
            listened,
            each,
            lambda bus: bus.maker("!")("a"),
        ),
    ),
    Outbound("callbacks of threads", VcrBus, RealBus, (told_later(1), told_later(2))),
)
