"""Writes the tape: numbers the calls and appends every event in order."""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar, TypeVarTuple, final

from vcr_gen.errors import UsageError
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.strands.strands import Strands
from vcr_gen.runtime.tape.events import (
    CLOCK,
    End,
    Event,
    Happening,
    Item,
    Outcome,
    Signal,
    SignalKind,
    Soon,
    Start,
    in_microseconds,
)
from vcr_gen.runtime.tape.folding import Folding
from vcr_gen.runtime.tape.stream_redaction_buffer import StreamBuffer
from vcr_gen.runtime.values.stored_values import Screen

_A = TypeVarTuple("_A")
_V = TypeVar("_V", bound=Plain | Mapping[str, Plain])

_CLOSE: Final = 0.001
"""Seconds by which the loop's clock may differ from the real duration of a call."""

MOST_FAILURES: Final = 10
"""How many failures are kept for the report."""


@final
@dataclass(frozen=True, slots=True)
class NotStored:
    """A failure to store something."""

    error: BaseException
    site: str
    """`file:line in function` of the application; empty if unknown."""

    def __str__(self) -> str:
        what, *hints = (str(self.error) or type(self.error).__name__).split("\n")
        return "\n".join((what, *([f"  at {self.site}"] if self.site else []), *hints))


@final
class Tape:
    """An append-only tape, shared by every wrapper of a session and safe for threads.

    A start waits in memory for the next event: with its own end it becomes one entry.

    After the first failure to store something, nothing more is written: the partial file has the
    beginning of the session without a gap. The program never sees the failure; the close does.
    """

    def __init__(
        self,
        folding: Folding,
        *,
        now: Callable[[], float],
        real: Callable[[], float],
        strands: Strands,
        screen: Screen,
        site: Callable[[], str],
        first_call: int = 1,
    ) -> None:
        self._now = now
        self._real = real
        self._strands = strands
        self._screen = screen
        self._site = site
        self._folding = folding
        self._holding = StreamBuffer(screen.secrets, self._folding.add)
        self._has_items = False
        self._names: dict[int, str] = {}
        self._begun: dict[int, tuple[float, float]] = {}
        """When each call began: on the session's clock, and in real time."""
        self._next_call = self._first_call = first_call
        self._homes: dict[int, str] = {}
        """The threads and pool jobs that read a stream of another strand."""
        self._lock = threading.RLock()
        self.failures: list[NotStored] = []
        """The failures to store a value; with any, the recording is incomplete."""
        self.appended = 0
        """The number of recorded events."""
        self.late = 0
        """The number of answers after the end of their call, which are not recorded."""
        self._closed = False

    def fail(self, error: BaseException) -> None:
        """Note that a value could not be stored: the recording is incomplete."""
        with self._lock:
            known = {str(failure.error) for failure in self.failures}
            if len(known) < MOST_FAILURES and str(error) not in known:
                self.failures.append(NotStored(error, self._site()))

    def start(
        self,
        of: str,
        on: str,
        arguments: Mapping[str, Plain],
        *,
        inbound: bool = False,
        soon: Soon | None = None,
        timers: tuple[float, ...] = (),
    ) -> int:
        """A call begins; returns its number."""
        strand = self._strands.here()
        if arguments or self._screen.has_hook:
            arguments = self._without_secrets({}, self._screen.arguments, of, arguments)
        with self._lock:
            if self._closed:
                raise UsageError(
                    f"{of} was called after the cassette was closed\n\n"
                    "hint: make all calls before its `with` block or test ends, and await every "
                    "task they start"
                )
            call = self._next_call
            self._next_call += 1
            self._homes[call] = f"@{call}" if inbound else strand.name
            self._names[call] = of
            at = self._now()
            self._begun[call] = at, self._real()
            self._put(
                Start(
                    call=call,
                    of=of,
                    on=on,
                    arguments=arguments,
                    strand=strand.name,
                    begins=strand.begin(),
                    within=strand.within,
                    inbound=inbound,
                    soon=soon,
                    timers=timers,
                    at=at,
                )
            )
            return call

    def tick(self, since: float, readings: int, rounds: int) -> None:
        """The clock catches up, at a reading or a round since the time that it had."""
        with self._lock:
            if self._closed:
                return
            call, at = self._next_call, self._now()
            self._next_call += 1
            arguments: dict[str, Plain] = {"since": round(since, 6)}
            arguments |= {"reading": readings} if readings else {"round": rounds}
            self._put(Start(call=call, of=CLOCK, arguments=arguments, at=at))
            self._put(End(call=call, outcome="returned", at=at))

    def item(self, call: int, value: Plain, *, raised: bool = False) -> None:
        """A stream yielded its next item, or raised an exception and may continue."""
        of = self._names.get(call, "")
        with self._lock:
            if raised:
                value = self._screened(call, "raised", value)
            else:
                value = self._without_secrets(None, self._screen.item, of, value)
            if self._is_over(call):
                self.late += not self._closed
                return
            strand = self._away(call)
            self._put(
                Item(
                    call=call,
                    value=value,
                    raised=raised,
                    strand=strand,
                    at=self._now(),
                )
            )

    def signal(self, call: int, kind: SignalKind, value: Plain = None) -> None:
        """The consumer of a stream did something."""
        if kind in ("sent", "thrown"):
            value = self._screened(call, kind, value)
        with self._lock:
            if self._is_over(call):
                return
            strand = self._away(call)
            self._put(Signal(call=call, kind=kind, value=value, strand=strand, at=self._now()))

    def end(
        self,
        call: int,
        outcome: Outcome,
        value: Plain = None,
        *,
        at_call: bool = False,
        strand: str | None = None,
    ) -> None:
        """A call is over; in the running strand by default."""
        if outcome != "cancelled":
            value = self._screened(call, outcome, value)
        with self._lock:
            if self._is_over(call):
                self.late += outcome == "raised" and not self._closed
                return
            self._names.pop(call, None)
            strand = self._away(call) if strand is None else strand
            self._homes.pop(call, None)
            at = self._now()
            self._put(
                End(
                    call=call,
                    outcome=outcome,
                    value=value,
                    at_call=at_call,
                    strand=strand,
                    at=at,
                    took=self._took(call, at),
                )
            )

    def close(self, unfinished: Iterable[int] = ()) -> None:
        """Write a start that waits for its end; calls in flight stay unfinished.

        Inbound calls that are `unfinished` have no caller any more: that is said, so that their
        missing end is none that got lost.
        """
        with self._lock:
            for call in sorted(unfinished):
                self.signal(call, "cancel")
            try:
                self._holding.flush()
                self._folding.close()
            except Exception as error:
                self.fail(error)
            finally:
                self._closed = True

    def _screened(self, call: int, kind: Happening, value: Plain) -> Plain:
        of = self._names.get(call, "")
        return self._without_secrets(None, self._screen.value, of, kind, value)

    def _without_secrets(self, otherwise: _V, screen: Callable[[*_A], _V], *values: *_A) -> _V:
        """The value after the hook and redaction; `otherwise` is never written."""
        if self.failures:
            return otherwise
        try:
            return screen(*values)
        except Exception as error:
            self.fail(error)
            return otherwise
        except BaseException as error:
            self.fail(error)
            raise

    def _took(self, call: int, at: float) -> float | None:
        """The real duration of a call that ends `at` this time; None if the clock tells it too."""
        began, real = self._begun.pop(call, (at, self._real()))
        took = max(0.0, in_microseconds(self._real() - real))
        difference = abs(took - (at - began))
        return took if difference > max(_CLOSE, 0.1 * took) else None

    def _is_over(self, call: int) -> bool:
        """Whether a call that began here has ended; later events would break the tape."""
        return call >= self._first_call and call not in self._homes

    def _away(self, call: int) -> str:
        """The running strand, if it differs from the call's."""
        name = self._strands.here().name
        return "" if self._homes.get(call, name) == name else name

    def _put(self, event: Event) -> None:
        if self._closed or self.failures:
            return
        self.appended += 1
        try:
            if isinstance(event, Item):
                self._has_items = True
            if self._has_items:
                self._holding.add(event)
            else:
                self._folding.add(event)
        except Exception as error:
            self.fail(error)
        except BaseException as error:  # an interrupt may have cut the event off
            self.fail(error)
            raise
