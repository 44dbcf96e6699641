"""Feeds recorded inbound calls into the system."""

from typing import final

from vcr_gen.errors import UsageError
from vcr_gen.runtime.boundary.port import port_of
from vcr_gen.runtime.loops.backends import running_library
from vcr_gen.runtime.runs.cassette import Cassette
from vcr_gen.runtime.tape.events import Start


@final
class Driver:
    """Calls inbound wrappers as the environment did when the cassette was recorded.

    Calls begin at the recorded moments and overlap where they overlapped; the wrappers assert what
    the application answers.
    """

    def __init__(self, cassette: Cassette, *wrappers: object, collect: bool = False) -> None:
        """Drive these wrappers; `collect` all differences, and report them together at the end."""
        self._replay = cassette.replay()
        self._collected = self._replay.engine.collect() if collect else None
        for wrapper in wrappers:
            port = port_of(wrapper)
            if not any(port.boundary.inbound(key) for key in port.boundary.calls):
                raise UsageError(
                    f"{type(wrapper).__name__} is outbound: the tape answers its calls; a Driver "
                    "takes inbound wrappers only"
                )
            self._replay.wrappers.add(port.boundary, port.on, wrapper)

    async def run(self) -> None:
        """Make every recorded inbound call, until the end of the tape."""
        replay = self._replay
        released = running_library().park()
        replay.dispatcher.wait_for_end(released)
        replay.engine.attend()
        await released
        self._end()

    @property
    def is_due(self) -> bool:
        """Whether the next event on the tape is a call that a driver makes."""
        engine = self._replay.engine
        slot = None if engine.state.failure else engine.due()
        if slot is None or not isinstance(slot.event, Start) or not slot.event.inbound:
            return False
        return self._replay.wrappers.target(slot.event) is not None

    def run_sync(self) -> None:
        """Like `run`, for a system without an event loop."""
        replay = self._replay
        engine, dispatcher = replay.engine, replay.dispatcher
        dispatcher.attend()
        while not engine.state.failure:
            slot = engine.due()
            if slot is None:
                break
            start = slot.event
            target = None
            if isinstance(start, Start) and start.inbound:
                target = replay.wrappers.target(start)
            if target is not None and isinstance(start, Start):
                dispatcher.driver_is_busy = True  # from now on the next call is not for this thread
                if engine.announce(slot):
                    dispatcher.serve(start, target)
                dispatcher.driver_is_busy = False
            elif not dispatcher.running and not engine.driver_is_needed():
                break
            else:
                engine.wait_for_change()
        self._end()

    def _end(self) -> None:
        """Raise what ended the replay, or else the differences that did not."""
        if self._collected is not None:
            self._replay.report(self._collected.divergences)
        self._replay.check()
