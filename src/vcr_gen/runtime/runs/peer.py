"""The block in which a program outside the process uses the wrappers of a replay."""

from math import inf
from types import TracebackType
from typing import Protocol, Self, final

from vcr_gen.runtime.replay.live_peer import GONE, Patience


class Meets(Protocol):
    """The run of a cassette, as far as a peer is concerned."""

    def meet(self, peer: Patience | None) -> None:
        """Play for a live peer from now on; None when it is over."""


@final
class Peer:
    """A program outside the process that uses the wrappers, such as a client of a mock server."""

    def __init__(self, run: Meets, limit: float | None, *, pauses: bool) -> None:
        self._run = run
        self._patience = Patience(inf if limit is None else limit, pauses=pauses)

    def __enter__(self) -> Self:
        self._run.meet(self._patience)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._run.meet(None)

    def gone(self) -> None:
        """The program has ended or disconnected: report at once what it still had to do."""
        self._run.meet(GONE)
