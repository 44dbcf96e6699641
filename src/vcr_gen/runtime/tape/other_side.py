"""The same session from its other side: what one program asked of the other, it is now asked.

Each call changes its direction, and so do the calls of the functions that it passed. A call that
its caller cancelled ends there as `cancelled`; its callee is cancelled and raises. Everything else
on the tape happened inside the recorded program, and is left out.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, final

from vcr_gen.errors import CassetteError
from vcr_gen.runtime.codec.tags import FUNCTIONS, LIVE
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import ROOT_STRAND, End, Event, Item, Signal, Start
from vcr_gen.runtime.tape.reading import Recorded

_OTHERS: Final = LIVE.keys() - FUNCTIONS
_CANCELLED: Final[Plain] = {"$type": "asyncio.exceptions.CancelledError", "args": []}


def from_other_side(
    events: Iterable[Recorded], boundaries: Collection[str], path: Path
) -> Iterator[Recorded]:
    """The events of these boundaries as their other side sees them."""
    exchange = _Exchange(frozenset(boundaries), path)
    held: list[Recorded] = []
    for recorded in events:
        held += exchange.seen(recorded)
        while held and (first := exchange.settled(held[0], held)) is not None:
            held.pop(0)
            yield from first
    for recorded in held:
        yield recorded


@final
class _Exchange:
    def __init__(self, boundaries: frozenset[str], path: Path) -> None:
        self._boundaries = boundaries
        self._path = path
        self._functions: set[str] = set()
        """The functions that crossed, as `#1`."""
        self._calls: dict[int, Start] = {}
        """The calls that are under way, as the other side sees them."""
        self._cancelled: set[int] = set()
        """Those among them that were cancelled."""

    def seen(self, recorded: Recorded) -> Iterator[Recorded]:
        """An event from the other side; nothing if that does not see it."""
        event = recorded.event
        if isinstance(event, Start):
            if not self._crosses(event):
                return
            start = replace(
                event,
                inbound=not event.inbound,
                strand=ROOT_STRAND,
                begins="",
                within=None,
                soon=None,
                timers=(),
            )
            self._note(event.arguments, recorded)
            self._calls[event.call] = start
            yield recorded._replace(event=start, start=start)
            return
        known = self._calls.get(event.call)
        if known is None:
            return
        for seen in self._events(event, known, recorded):
            yield recorded._replace(event=seen, start=known)
        if isinstance(event, End):
            del self._calls[event.call]
            self._cancelled.discard(event.call)

    def settled(self, first: Recorded, held: list[Recorded]) -> list[Recorded] | None:
        """An event that can be passed on; None while it depends on one that was not read yet.

        An outbound call has a signal only if it was answered although it had been cancelled.
        """
        event = first.event
        if first.start.inbound or not isinstance(event, Signal):
            return [first]
        end = next((each.event for each in held[1:] if each.event.call == event.call), None)
        if end is None:
            return None
        return [] if isinstance(end, End) and end.outcome == "cancelled" else [first]

    def _crosses(self, start: Start) -> bool:
        mine = any(start.of.startswith(f"{name}.") for name in self._boundaries)
        return mine or start.on in self._functions

    def _events(self, event: Event, start: Start, recorded: Recorded) -> Iterator[Event]:
        if isinstance(event, Item) or (isinstance(event, Signal) and event.kind != "cancel"):
            raise self._unsupported(f"{start.of} is a stream", recorded)
        if isinstance(event, Signal):
            self._cancelled.add(event.call)
            yield replace(event, strand=ROOT_STRAND)
            return
        assert isinstance(event, End)
        self._note(event.value, recorded)
        if event.outcome == "cancelled":
            if event.call not in self._cancelled:
                yield Signal(call=event.call, kind="cancel", strand=ROOT_STRAND, at=event.at)
            yield replace(event, outcome="raised", value=_CANCELLED, strand="")
        elif not start.inbound and event.call in self._cancelled and _is_cancellation(event):
            yield replace(event, outcome="cancelled", value=None, strand="")
        else:
            yield replace(event, strand="")

    def _note(self, value: Any, recorded: Recorded) -> None:
        """Note the functions in a value; other live objects cannot change sides."""
        if isinstance(value, dict):
            for key, item in value.items():
                if key in _OTHERS:
                    raise self._unsupported(f"{recorded.start.of} has a live object", recorded)
                if key in FUNCTIONS:
                    self._functions.add(f"#{item}")
                self._note(item, recorded)
        elif isinstance(value, list):
            for item in value:
                self._note(item, recorded)

    def _unsupported(self, what: str, recorded: Recorded) -> CassetteError:
        return CassetteError(
            f"{what}: only calls with plain values and callbacks can be played from the other side",
            path=self._path,
            line=recorded.line,
        )


def _is_cancellation(end: End) -> bool:
    return end.outcome == "raised" and isinstance(end.value, dict) and end.value == _CANCELLED
