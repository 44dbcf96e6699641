"""How a replay continues after a difference, where all differences are reported together."""

from typing import final

from vcr_gen.errors import Divergence
from vcr_gen.runtime.tape.events import End, Item, Start
from vcr_gen.runtime.tape.window import Slot, Window


class UnansweredError(Exception):
    """The program has no answer to an inbound call, which is no difference.

    An object that wrappers call raises it. A replay that allows leftovers goes on as recorded.
    """


@final
class Collected:
    """The differences so far, and the recorded events that the program no longer makes happen."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self.divergences: list[Divergence] = []
        self.misses = {True: 0, False: 0}
        """How often the replay waited in vain, while a call was in flight and while none was."""
        self._passed_over: set[int] = set()

    def pass_over(self, head: Slot) -> None:
        """Skip an event for which the replay waited in vain: a call as a whole."""
        self._passed_over.add(head.event.call)
        self._window.take(head)
        if isinstance(head.event, Start):
            self._window.skip(head.event.call)

    def give_up(self, call: int) -> None:
        """Skip what is left of an inbound call whose answer will not come."""
        self._passed_over.add(call)
        self._window.skip(call)

    def is_passed_over(self, call: int) -> bool:
        """Whether the end of a call was reported as missing: it is too late for it."""
        return call in self._passed_over


_MANY = 1000
"""How many events of a stream may be missing at its end."""


def counterpart(window: Window, call: int, event: Item | End) -> list[Slot]:
    """The recorded events that a different answer takes the place of.

    An end takes the place of everything that was left of the call; an item, of an item.
    """
    found: list[Slot] = []
    for slot in window.upcoming_of_call(call, _MANY):
        if isinstance(event, Item):
            return [slot] if isinstance(slot.event, Item) else []
        found.append(slot)
    return found
