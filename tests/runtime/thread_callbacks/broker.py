"""An environment that calls back from a thread of its own, and replays of programs that use it."""

import threading
from contextlib import suppress

from sample.bridges import RealBus
from vcr_sample import VcrBus

REPLAYS = 20


def always_the_same(tape, real, program, replays=REPLAYS):
    """Record a program, replay it many times, and insist that it saw the same each time."""
    recorded = tape.record(VcrBus, real, program)
    for _ in range(replays):
        assert recorded == tape.replay(VcrBus, program)
    return recorded


class Broker(RealBus):
    """Delivers from a thread of its own what is due after so many seconds."""

    due = ((0.01, 1), (0.01, 2), (0.01, 3))

    def __init__(self):
        super().__init__()
        self.threads = []

    def on(self, topic, notify):
        stop = threading.Event()

        def deliver():
            for pause, number in self.due:
                if stop.wait(pause):
                    return
                with suppress(LookupError):
                    notify(number)

        thread = threading.Thread(target=deliver)
        self.threads.append(thread)
        thread.start()
        return stop.set

    def wait(self):
        for thread in self.threads:
            thread.join()
        return "over"
