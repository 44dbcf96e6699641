"""Records when synchronous callbacks came, which do not wait for their turn.

A callback that is not asynchronous runs in the middle of whatever the environment does in the
loop. Mostly that began when the loop was idle, so the callback is as good as a turn. But the
environment may call back before the loop was idle again: then the tape says after which call of the
same strand that was, and how often the loop had gone round.
"""

from typing import final
from weakref import WeakKeyDictionary

from vcr_gen.runtime.loops.backends import library_here
from vcr_gen.runtime.loops.turns import RecordingTurns
from vcr_gen.runtime.strands.strands import Strand, Strands
from vcr_gen.runtime.tape.events import Soon

__all__ = ["CallbackTiming"]


@final
class CallbackTiming:
    """Knows since when the environment is at work in each strand."""

    def __init__(self, strands: Strands, turns: RecordingTurns) -> None:
        self._strands = strands
        self._turns = turns
        self._since: WeakKeyDictionary[Strand, tuple[int, int, int]] = WeakKeyDictionary()

    def begin(self, call: int) -> None:
        """The environment goes to work for a call, or has just called back."""
        if (library := library_here()) is not None:
            turns = self._turns.here
            rounds = library.rounds(turns.rounds)
            self._since[self._strands.here()] = (call, turns.idles, rounds)

    def here(self) -> Soon | None:
        """How soon a callback came; None if the loop was idle before it."""
        library = library_here()
        if library is None:
            return None
        call, idles, rounds = self._since.get(self._strands.here(), (0, -1, 0))
        turns = self._turns.here
        if idles != turns.idles:
            return None
        return Soon(call, library.rounds(turns.rounds) - rounds)
