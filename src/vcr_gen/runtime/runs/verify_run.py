"""Mode `verify`: compares the real environment with the recording."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple, final

from vcr_gen.errors import VerificationError
from vcr_gen.runtime.codec import MISSING, Difference, differences
from vcr_gen.runtime.failures.call_sites import shown_path
from vcr_gen.runtime.failures.format_values import show, show_difference
from vcr_gen.runtime.failures.wording import words_of
from vcr_gen.runtime.loops.turns import RecordingTurns
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Secrets
from vcr_gen.runtime.record.progress import status_line
from vcr_gen.runtime.record.record_session import Recorder
from vcr_gen.runtime.record.tape_writer import Tape
from vcr_gen.runtime.runs.base import Run, Settings, incomplete
from vcr_gen.runtime.runs.replay_run import open_cassette
from vcr_gen.runtime.tape.entries import unfold
from vcr_gen.runtime.tape.events import INTERNAL, End, Event, Item, Signal, Start
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.recording import Reading
from vcr_gen.runtime.values.channel import Bound, ValueChannel
from vcr_gen.runtime.values.objects import Objects

__all__ = ["VerifyRun", "compare_tapes"]


class VerifyRun(Run):
    """Calls the real environment and compares its answers with the tape."""

    calls_real = True

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        open_cassette(settings.advice).close()
        self._actual: list[Mapping[str, Plain]] = []
        turns = RecordingTurns(self._loops.clock)
        self.screen = self._screen(replaying=True)
        tape = Tape(
            self._actual.append,
            now=self._loops.now,
            strands=self._strands,
            screen=self.screen,
            site=settings.call_site,
            status=status_line("verifying", settings.path),
        )
        self.session = self._recorder = Recorder(tape, self._strands, self._loops, turns)
        self.crossing = self._cross(self.session, Objects(replaying=False))
        with Reading(settings.path) as recorded:
            header = Header.read(recorded.header, settings.path)
        settings.anchors.check_recorded(header.anchors, settings.path)
        passing = self.crossing.binder.anything("initial_state")
        self.initial_state = {
            name: passing.restore(value) for name, value in header.initial_state.items()
        }

    def _close(self, error: BaseException | None) -> None:
        self._recorder.close()
        if error is not None:
            return
        if failures := self._recorder.tape.failures:
            raise incomplete(self._settings.path, failures) from failures[0].error
        with Reading(self._settings.path) as recorded:
            comparison = _Comparison(self.screen.secrets, self.crossing.binder.known())
            found = compare_tapes(recorded, self._actual, comparison)
        if found:
            differences = tuple(each.text for each in found)
            advice = self._settings.advice
            hint = advice.record("if the new behaviour is correct, record again")
            count = "1 difference" if len(differences) == 1 else f"{len(differences)} differences"
            lines = "\n".join(f"  {line}" for text in differences for line in text.split("\n"))
            raise VerificationError(
                f"{shown_path(advice.path)}: {_HEADLINES[frozenset(each.by for each in found)]}: "
                f"{count} (- recorded, + now)\n\n{lines}\n\nhint: {hint}",
                path=advice.path,
                differences=differences,
                hint=hint,
            )


_PROGRAM: Final = "program"
_WORLD: Final = "environment"
_HEADLINES: Final = {
    frozenset({_WORLD}): "the real environment no longer behaves as recorded",
    frozenset({_PROGRAM}): "the program no longer behaves as recorded",
    frozenset(
        {_PROGRAM, _WORLD}
    ): "neither the program nor the real environment behaves as recorded",
}


class Found(NamedTuple):
    """A difference from the recording."""

    text: str
    by: str
    """Whose doing it is."""


@final
@dataclass(frozen=True, slots=True)
class _Comparison:
    """Compares two events as a replay does: up to secrets and loosened fields."""

    secrets: Secrets
    known: Mapping[str, Bound]

    def differences(self, of: str, old: Event, new: Event) -> list[Difference]:
        """The differences between two events of one kind."""
        bound = self.known.get(of)
        found: list[Difference] = []
        if isinstance(old, Start) and isinstance(new, Start):
            ways = {} if bound is None else bound.arguments
            for name in dict.fromkeys((*old.arguments, *new.arguments)):
                before, after = old.arguments.get(name, MISSING), new.arguments.get(name, MISSING)
                if before is MISSING or after is MISSING:
                    found.append(Difference(f"${name}", before, after, "another argument"))
                else:
                    rows = self._values(ways.get(name), before, after)
                    found += (each.below(name) for each in rows)
        elif not isinstance(old, Start) and not isinstance(new, Start):
            found += self._values(_way(bound, old), old.value, new.value)
        self.secrets.vault.settle()
        return found

    def _values(
        self, way: ValueChannel | None, before: Plain, after: Plain
    ) -> tuple[Difference, ...]:
        if way is not None and way.codec.replace_live is None:
            return way.differences(before, after)
        return differences(before, self.secrets.align(before, after))


def _way(bound: Bound | None, event: Event) -> ValueChannel | None:
    match event:
        case _ if bound is None:
            return None
        case Item(raised=raised):
            return bound.raised if raised else bound.value
        case Signal(kind=kind):
            return bound.sent if kind == "sent" else bound.raised
        case End(outcome=outcome):
            return bound.ended(outcome)
    return None


def compare_tapes(
    recorded: Reading, actual: Iterable[Mapping[str, Plain]], comparison: _Comparison
) -> list[Found]:
    """All differences, call by call: the nth call of a method is compared with the nth recorded.

    The order between calls is the program's business and is asserted by a replay; here only what
    was said counts.
    """
    path = recorded.path
    before = _calls(
        (event, entry.line)
        for entry in recorded
        for event in unfold(entry.data, path=path, line=entry.line)
    )
    after = _calls(
        (event, 0) for entry in actual for event in unfold(entry, path=Path("live"), line=0)
    )
    found: list[Found] = []
    for key, events in before.items():
        if key not in after:
            start, line = events[0]
            what = f"{_name(key)}: no longer called: {_words(start)}"
            found.append(Found(f"{shown_path(path)}:{line}: {what}", _whose(start, start)))
            continue
        found.extend(_compare(key, path, events, after[key], comparison))
    for key, events in after.items():
        if key not in before:
            start = events[0][0]
            what = f"{_name(key)}: called, but not on the tape: {_words(start)}"
            found.append(Found(what, _whose(start, start)))
    return found


_OTHERWISE = {
    "call": "called with different arguments",
    "item": "yielded a different item",
    "returned": "returned a different value",
    "raised": "raised a different exception",
    "raised at call": "raised a different exception",
    "sent": "was sent a different value",
    "thrown": "was thrown a different exception",
}
_ROOTS = {
    "item": "$item",
    "returned": "$result",
    "raised": "$raised",
    "raised at call": "$raised",
    "sent": "$sent",
}
_Events = list[tuple[Event, int]]


def _calls(events: Iterable[tuple[Event, int]]) -> dict[tuple[str, str, int], _Events]:
    """The events of each call, by method, object and ordinal."""
    calls: dict[tuple[str, str, int], _Events] = {}
    counts: dict[tuple[str, str], int] = {}
    open_calls: dict[int, _Events] = {}
    for event, line in events:
        if isinstance(event, Start):
            if event.of in INTERNAL:
                continue
            method = (event.of, event.on)
            counts[method] = counts.get(method, 0) + 1
            open_calls[event.call] = calls[(*method, counts[method])] = [(event, line)]
        elif event.call in open_calls:
            open_calls[event.call].append((event, line))
    return calls


def _compare(
    key: tuple[str, str, int],
    path: Path,
    before: _Events,
    after: _Events,
    comparison: _Comparison,
) -> list[Found]:
    found: list[Found] = []
    start = before[0][0]
    name = _name(key)
    for (old, line), (new, _) in zip(before, after, strict=False):
        place = f"{shown_path(path)}:{line}: {name}"
        if type(old) is not type(new) or _word(old) != _word(new):
            rows = [f"- {_word(old)} {show(_value(old))}", f"+ {_word(new)} {show(_value(new))}"]
            text = "\n  ".join([f"{place}: a different event", *rows])
            found.append(Found(text, _whose(new, start)))
            return found
        if differing := comparison.differences(key[0], old, new):
            root = _ROOTS.get(_word(old), "")
            rows = [f"{place}: {_OTHERWISE[_word(old)]}"]
            for row in differing:
                named = replace(row, path=(root + row.path.removeprefix("$")).lstrip("."))
                rows += (f"  {line}" for line in show_difference(named).split("\n"))
            found.append(Found("\n".join(rows), _whose(new, start)))
    if len(before) != len(after):
        place = f"{shown_path(path)}:{before[0][1]}: {name}"
        first = max(before, after, key=len)[min(len(before), len(after))][0]
        text = f"{place}: recorded {len(before)} events, now {len(after)}"
        found.append(Found(text, _whose(first, start)))
    return found


def _whose(event: Event, start: Event) -> str:
    """Whose doing an event of a call is."""
    inbound = isinstance(start, Start) and start.inbound
    driven = isinstance(event, Start | Signal)
    return _PROGRAM if driven != inbound else _WORLD


def _words(start: Event) -> str:
    return words_of(start, start) if isinstance(start, Start) else ""


def _word(event: Event) -> str:
    match event:
        case Start():
            return "call"
        case Item(raised=raised):
            return "raised" if raised else "item"
        case Signal(kind=kind):
            return kind
        case End(outcome=outcome, at_call=at_call):
            return f"{outcome} at call" if at_call else outcome


def _value(event: Event) -> Plain:
    return dict(event.arguments) if isinstance(event, Start) else event.value


def _name(key: tuple[str, str, int]) -> str:
    of, on, ordinal = key
    return f"{of} (call {ordinal}{f' on {on}' if on else ''})"
