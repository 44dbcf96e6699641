"""Mode `verify`: compares the real environment with the recording."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias, final

from vcr_gen.runtime.boundary.rules import Rules
from vcr_gen.runtime.codec import MISSING, Difference, differences
from vcr_gen.runtime.codec.placeholders import unnumbered_text
from vcr_gen.runtime.failures.call_names import call_name
from vcr_gen.runtime.failures.call_sites import shown_path
from vcr_gen.runtime.failures.format_values import show_difference
from vcr_gen.runtime.failures.message_layout import verification_error
from vcr_gen.runtime.failures.wording import how_it_differs, words_of
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Secrets
from vcr_gen.runtime.runs.replay_run import open_cassette
from vcr_gen.runtime.runs.run import Run, Settings, incomplete
from vcr_gen.runtime.tape.events import (
    INTERNAL,
    End,
    Event,
    Item,
    Start,
    driven_by_application,
    kind_of,
)
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.runtime.tape.unfolding import unfold
from vcr_gen.runtime.values.bound_methods import Bound
from vcr_gen.runtime.values.channel import ValueChannel
from vcr_gen.runtime.values.object_numbers import Objects

_HEADLINES: Final = {
    (False, True): "the real environment no longer behaves as recorded",
    (True, False): "the program no longer behaves as recorded",
    (True, True): "neither the program nor the real environment behaves as recorded",
}
"""By whether differences come from the program, and from the environment."""


class VerifyRun(Run):
    """Calls the real environment and compares its answers with the tape."""

    calls_real = True

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        with open_cassette(settings.advice) as recorded:
            header = Header.read(recorded.header, settings.path)
        self._actual: list[Mapping[str, Plain]] = []
        self.screen = self._screen(replaying=True)
        self.session = self._recorder = self._make_recorder(self._actual.append)
        self.crossing = self._cross(self.session, Objects(replaying=False))
        self._signatures = header.signatures
        settings.anchors.check_recorded(header.anchors, settings.path)
        self.initial_state = self._restored_state(header)

    def _close(self, error: BaseException | None) -> None:
        self._recorder.close()
        if error is not None:
            return
        if failures := self._recorder.tape.failures:
            raise incomplete(self._settings.path, failures) from failures[0].error
        known = self.crossing.binder.known()
        rules = self._settings.rules
        comparison = _Comparison(self.screen.secrets, known, self._signatures, rules)
        with Reading(self._settings.path) as recorded:
            found = list(comparison.compare(recorded, self._actual))
        if found:
            texts = tuple(difference.text for difference in found)
            sides = {difference.by_program for difference in found}
            headline = _HEADLINES[True in sides, False in sides]
            raise verification_error(self._settings.advice, headline, texts)


class _Found(NamedTuple):
    """A difference from the recording."""

    text: str
    by_program: bool
    """Whether the program behaves differently, rather than the environment."""


_Events: TypeAlias = list[tuple[Event, int]]
"""The events of a call, each with its line in the file."""


@final
@dataclass(frozen=True, slots=True)
class _Comparison:
    """Compares two sessions call by call: the nth call of a name with the nth recorded one.

    The order of the calls is the program's, which a replay asserts. Values are compared as in a
    replay: up to secrets and loosened fields.
    """

    secrets: Secrets
    known: Mapping[str, Bound]
    signatures: Mapping[str, str]
    rules: Rules

    def compare(self, recorded: Reading, actual: Iterable[Mapping[str, Plain]]) -> Iterator[_Found]:
        """All differences, in the order of the recording."""
        path = recorded.path
        before = self._calls(
            (event, entry.line)
            for entry in recorded
            for event in unfold(entry.data, path=path, line=entry.line)
        )
        after = self._calls(
            (event, 0) for entry in actual for event in unfold(entry, path=Path("live"), line=0)
        )
        for name, (start, events) in before.items():
            place = f"{shown_path(path)}:{events[0][1]}"
            if name in after:
                yield from self._compare_call(path, name, start, events, after[name][1])
            elif not self._is_repetition(name, start):
                text = f"{place}: {name}: no longer called: {self._words(start, start)}"
                yield _Found(text, not start.inbound)
        for name, (start, _) in after.items():
            if name not in before and not self._is_repetition(name, start):
                text = f"{name}: called, but not on the tape: {self._words(start, start)}"
                yield _Found(text, not start.inbound)

    def _is_repetition(self, name: str, start: Start) -> bool:
        """Whether a call may be made more or less often, and is not the first of its name."""
        if start.inbound or "(call 1)" in name or "(call 1 on" in name:
            return False
        return self.rules.may_repeat(start.of, self._name_of(start))

    def _name_of(self, start: Start) -> str:
        return call_name(start.of, start.arguments, self.signatures.get(start.of, ""))

    def _compare_call(
        self, path: Path, name: str, start: Start, before: _Events, after: _Events
    ) -> Iterator[_Found]:
        bound = self.known.get(start.of)
        if bound is not None and bound.joined is not None:
            yield from self._compare_joined(path, name, start, before, after)
            before, after = _without_items(before), _without_items(after)
        for (old, line), (new, _) in zip(before, after, strict=False):
            place = f"{shown_path(path)}:{line}: {name}"
            by_program = driven_by_application(new, start)
            if kind_of(old) is not kind_of(new):
                rows = [f"- {self._words(old, start)}", f"+ {self._words(new, start)}"]
                yield _Found("\n  ".join([f"{place}: a different event", *rows]), by_program)
                return
            if found := self._differences(start.of, old, new):
                what = "called with different arguments"
                if not isinstance(new, Start):
                    what = how_it_differs(new, old)
                yield _Found("\n".join([f"{place}: {what}", *_rows(found)]), by_program)
        if len(before) != len(after):
            first = max(before, after, key=len)[min(len(before), len(after))][0]
            place = f"{shown_path(path)}:{before[0][1]}: {name}"
            text = f"{place}: recorded {len(before)} events, now {len(after)}"
            yield _Found(text, driven_by_application(first, start))

    def _words(self, event: Event, start: Start) -> str:
        return words_of(event, start, self.signatures.get(start.of, ""))

    def _calls(self, events: Iterable[tuple[Event, int]]) -> dict[str, tuple[Start, _Events]]:
        """The events of each call, by its name, object and ordinal."""
        calls: dict[str, tuple[Start, _Events]] = {}
        counts: dict[tuple[str, str], int] = {}
        open_calls: dict[int, _Events] = {}
        for event, line in events:
            if not isinstance(event, Start):
                if event.call in open_calls:
                    open_calls[event.call].append((event, line))
            elif event.of not in INTERNAL:
                called, on = unnumbered_text(self._name_of(event)), event.on
                counts[called, on] = ordinal = counts.get((called, on), 0) + 1
                name = f"{called} (call {ordinal}{f' on {on}' if on else ''})"
                calls[name] = event, [(event, line)]
                open_calls[event.call] = calls[name][1]
        return calls

    def _compare_joined(
        self, path: Path, name: str, start: Start, before: _Events, after: _Events
    ) -> Iterator[_Found]:
        """Compare the items of a stream, however they are cut."""
        bound = self.known[start.of]
        assert bound.joined is not None
        recorded, actual = ([event.value for event, _ in _items(side)] for side in (before, after))
        actual, refused = self._loosened(bound.value, recorded, actual)
        left, right = (
            self.secrets.redactor.redact(  # puts the parts of a secret together
                bound.joined([bound.value.restore(value) for value in values])
            )
            for values in (recorded, actual)
        )
        found = (*refused, *differences(left, self.secrets.align(left, right)))
        self.secrets.vault.settle()
        if found:
            line = next((line for _, line in _items(before)), before[0][1])
            place = f"{shown_path(path)}:{line}: {name}: yielded different items"
            named = [replace(each, path=_named(each.path)) for each in found]
            yield _Found("\n".join([place, *_rows(named)]), start.inbound)

    def _loosened(
        self, channel: ValueChannel, recorded: list[Plain], actual: list[Plain]
    ) -> tuple[list[Plain], list[Difference]]:
        """The live items with recorded parts where a rule accepts them, and what it refuses.

        A rule is for one item: where the items are cut in another way, none applies.
        """
        loosening = channel.loosening
        if loosening is None or len(recorded) != len(actual):
            return actual, []
        aligned = [
            loosening.aligned(old, new, channel.restore, self.secrets.align)
            for old, new in zip(recorded, actual, strict=True)
        ]
        return [made for made, _ in aligned], [each for _, refused in aligned for each in refused]

    def _differences(self, of: str, old: Event, new: Event) -> list[Difference]:
        """The differences between two events of one kind."""
        bound = self.known.get(of)
        found: list[Difference] = []
        if isinstance(old, Start) and isinstance(new, Start):
            channels = {} if bound is None else bound.arguments
            for name in dict.fromkeys((*old.arguments, *new.arguments)):
                before, after = old.arguments.get(name, MISSING), new.arguments.get(name, MISSING)
                if before is MISSING or after is MISSING:
                    found.append(Difference(name, before, after, "another argument"))
                else:
                    found += self._values(name, channels.get(name), before, after)
        elif not isinstance(old, Start) and not isinstance(new, Start):
            root = {"returned": "$result"}.get(kind_of(old).value or "", f"${kind_of(old).value}")
            found += self._values(root, _channel(bound, old), old.value, new.value)
        self.secrets.vault.settle()
        return found

    def _values(
        self, root: str, channel: ValueChannel | None, before: Plain, after: Plain
    ) -> Iterator[Difference]:
        if channel is not None and channel.codec.replace_live is None:
            found = channel.differences(before, after)
        else:
            if channel is not None:  # live objects are compared as stored, beside loosened fields
                before, after = channel.masked(before), channel.masked(after)
            found = differences(before, self.secrets.align(before, after))
        return (replace(each, path=root + each.path.removeprefix("$")) for each in found)


def _items(events: _Events) -> list[tuple[Item, int]]:
    return [(each, line) for each, line in events if isinstance(each, Item) and not each.raised]


def _without_items(events: _Events) -> _Events:
    return [each for each in events if not isinstance(each[0], Item) or each[0].raised]


def _named(path: str) -> str:
    """A path in what a function made of all items: `response.body`, or `$items[0]`."""
    return path[2:] if path.startswith("$.") else f"$items{path[1:]}"


def _rows(found: Iterable[Difference]) -> list[str]:
    return [f"  {row}" for each in found for row in show_difference(each).split("\n")]


def _channel(bound: Bound | None, event: Event) -> ValueChannel | None:
    """The comparison for the value of an event other than a start."""
    if bound is None:
        return None
    if isinstance(event, End):
        return bound.ended(event.outcome)
    return {"item": bound.value, "sent": bound.sent}.get(kind_of(event).value or "", bound.raised)
