"""Mode `verify`: does the real world still behave as recorded?"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from vcr_gen.errors import VerificationError
from vcr_gen.runtime.codec import differences, same
from vcr_gen.runtime.events import End, Event, Item, Signal, Start, unfold
from vcr_gen.runtime.header import Header
from vcr_gen.runtime.objects import Objects
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.progress import status_line
from vcr_gen.runtime.recorder import Recorder
from vcr_gen.runtime.redaction import Secrets
from vcr_gen.runtime.runs import Run, Settings, open_cassette
from vcr_gen.runtime.show import show, show_difference
from vcr_gen.runtime.sites import shown_path
from vcr_gen.runtime.storage import Reading
from vcr_gen.runtime.tape import Tape
from vcr_gen.runtime.turns import RecordingTurns

__all__ = ["VerifyRun", "compare_tapes"]


class VerifyRun(Run):
    """Calls the real environment and compares all that it says with the tape."""

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
            status=status_line("verifying", settings.path),
        )
        self.session = self._recorder = Recorder(tape, self._strands, self._loops, turns)
        self.crossing = self._cross(self.session, Objects(replaying=False))
        with Reading(settings.path) as recorded:
            header = Header.read(recorded.header, settings.path)
        passing = self.crossing.binder.anything("initial_state")
        self.initial_state = {
            name: passing.restore(value) for name, value in header.initial_state.items()
        }

    def _close(self, error: BaseException | None) -> None:
        self._recorder.close()
        if error is not None:
            return
        with Reading(self._settings.path) as recorded:
            differences = compare_tapes(recorded, self._actual, self.screen.secrets)
        if differences:
            advice = self._settings.advice
            count = "1 difference" if len(differences) == 1 else f"{len(differences)} differences"
            lines = "\n".join(f"  {line}" for text in differences for line in text.split("\n"))
            raise VerificationError(
                f"{shown_path(advice.path)}: the real environment no longer behaves as recorded: "
                f"{count} (- recorded, + now)\n\n{lines}\n\n"
                f"hint: {advice.record('if it is right as it is now, record again')}",
                differences=differences,
            )


def compare_tapes(
    recorded: Reading, actual: Iterable[Mapping[str, Plain]], secrets: Secrets
) -> tuple[str, ...]:
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
    found: list[str] = []
    for key, events in before.items():
        if key not in after:
            found.append(f"{shown_path(path)}:{events[0][1]}: {_name(key)}: no longer called")
            continue
        found.extend(_compare(_name(key), path, events, after[key], secrets))
    found.extend(f"{_name(key)}: called, but not on the tape" for key in after if key not in before)
    return tuple(found)


_OTHERWISE = {
    "call": "called with other arguments",
    "item": "gave another item",
    "returned": "returned another value",
    "raised": "raised another exception",
    "sent": "was sent another value",
    "thrown": "was thrown another exception",
}
_ROOTS = {"item": "$item", "returned": "$result", "raised": "$raised", "sent": "$sent"}
_Events = list[tuple[Event, int]]


def _calls(events: Iterable[tuple[Event, int]]) -> dict[tuple[str, str, int], _Events]:
    """The events of each call, by method, object and ordinal."""
    calls: dict[tuple[str, str, int], _Events] = {}
    counts: dict[tuple[str, str], int] = {}
    open_calls: dict[int, _Events] = {}
    for event, line in events:
        if isinstance(event, Start):
            method = (event.of, event.on)
            counts[method] = counts.get(method, 0) + 1
            open_calls[event.call] = calls[(*method, counts[method])] = [(event, line)]
        elif event.call in open_calls:
            open_calls[event.call].append((event, line))
    return calls


def _compare(name: str, path: Path, before: _Events, after: _Events, secrets: Secrets) -> list[str]:
    found: list[str] = []
    for (old, line), (new, _) in zip(before, after, strict=False):
        place = f"{shown_path(path)}:{line}: {name}"
        if type(old) is not type(new) or _word(old) != _word(new):
            found.append(
                f"{place}: another event\n"
                f"  - {_word(old)} {show(_value(old))}\n  + {_word(new)} {show(_value(new))}"
            )
            return found
        value = secrets.align(_value(old), _value(new))
        secrets.vault.settle()
        if not same(_value(old), value):
            root = _ROOTS.get(_word(old), "")
            rows = [f"{place}: {_OTHERWISE[_word(old)]}"]
            for row in differences(_value(old), value):
                named = replace(row, path=(root + row.path.removeprefix("$")).lstrip("."))
                rows += (f"  {line}" for line in show_difference(named).split("\n"))
            found.append("\n".join(rows))
    if len(before) != len(after):
        found.append(
            f"{shown_path(path)}:{before[0][1]}: {name}: recorded {len(before)} events, "
            f"now {len(after)}"
        )
    return found


def _word(event: Event) -> str:
    match event:
        case Start():
            return "call"
        case Item():
            return "item"
        case Signal(kind=kind):
            return kind
        case End(outcome=outcome):
            return outcome


def _value(event: Event) -> Plain:
    return dict(event.arguments) if isinstance(event, Start) else event.value


def _name(key: tuple[str, str, int]) -> str:
    of, on, ordinal = key
    return f"{of} (call {ordinal}{f' on {on}' if on else ''})"
