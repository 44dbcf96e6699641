"""The items of a stream that nothing interrupts are in the entry of their call."""

from pathlib import Path

import pytest
from cassette_values import HEADER
from tape_data import write_tape

from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Redaction, Secrets
from vcr_gen.runtime.tape.events import End, Item, Signal, Start
from vcr_gen.runtime.tape.folding import Folding, folded
from vcr_gen.runtime.tape.reading import Reading, partial_of, read_events
from vcr_gen.runtime.tape.recording import Recording
from vcr_gen.runtime.tape.unfolding import unfold


def test_a_stream_that_nothing_interrupts_is_one_entry(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    recording = Recording(path)
    recording.begin(HEADER)
    folding = Folding(recording.append, recording.grow)
    folding.add(Start(call=1, of="Feed.lines", arguments={}, at=0.5))
    for number, text in enumerate(["a\nb\n", " c", ""]):
        folding.add(Item(call=1, value={"text": text, "list": [text]}, at=0.5 + number))
    partial = partial_of(path).read_text()
    folding.add(Signal(call=1, kind="closed", at=3.0))
    folding.add(End(call=1, outcome="raised", value={"$type": "ValueError"}, at=4.0))
    folding.add(Start(call=2, of="Feed.lines", arguments={}, at=5.0))
    folding.add(Item(call=2, value=1, at=5.0))
    folding.add(Start(call=3, of="Feed.ask", arguments={}, at=6.0))
    folding.add(End(call=3, outcome="returned", at=6.0))
    folding.add(Item(call=2, value=2, at=7.0))  # an interrupted stream is not continued above
    folding.close()
    recording.finish(HEADER)
    assert partial.endswith("\n- ")  # shows that what was written is complete
    with Reading(path) as reading:
        entries = [entry.data for entry in reading]
        events = [event.event for event in read_events(reading, path)]
    assert [next(iter(entry)) for entry in entries] == ["call", "call", "call", "item"]
    assert [type(event).__name__ for event in events] == [
        *("Start", "Item", "Item", "Item", "Signal", "End"),
        *("Start", "Item", "Start", "End", "Item"),
    ]
    again = write_tape(tmp_path / "again.yaml", entries, HEADER)
    assert again.read_text() == path.read_text()


def test_what_follows_a_closed_stream_is_an_entry_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    recording = Recording(path)
    recording.begin(HEADER)
    folding = Folding(recording.append, recording.grow)
    folding.add(Start(call=1, of="Feed.lines", arguments={}, at=0.5))
    folding.add(Item(call=1, value=1, at=1.0))
    folding.add(Signal(call=1, kind="closed", at=2.0))
    folding.add(Item(call=1, value=2, at=3.0))
    folding.add(Signal(call=1, kind="closed", at=4.0))
    folding.add(End(call=1, outcome="returned", at=5.0))
    recording.finish(HEADER)
    with Reading(path) as reading:
        events = [event.event for event in read_events(reading, path)]
    assert [event.at for event in events] == [0.5, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_the_keys_of_an_item_stand_beside_its_time(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    values: list[Plain] = [
        {"head": "HTTP/1.1 200 OK", "headers": {"a": "b"}},
        {"at": 1.0},
        {"value": 1, "more": 2},
        {"$base64": "AAEC"},
        {},
        "text",
        None,
    ]
    recording = Recording(path)
    recording.begin(HEADER)
    folding = Folding(recording.append, recording.grow)
    folding.add(Start(call=1, of="Feed.lines", arguments={}, at=0.5))
    for value in values:
        folding.add(Item(call=1, value=value, at=1.0))
    folding.add(End(call=1, outcome="returned", at=2.0))
    recording.finish(HEADER)
    assert "  - at: 1.0\n    head: HTTP/1.1 200 OK\n    headers:\n      a: b\n" in path.read_text()
    assert "  - at: 1.0\n    value:\n      at: 1.0\n" in path.read_text()
    with Reading(path) as reading:
        events = [event.event for event in read_events(reading, path)]
    assert [event.value for event in events if isinstance(event, Item)] == values


def test_an_item_without_a_value_is_refused(tmp_path: Path) -> None:
    entry: dict[str, Plain] = {"call": 1, "of": "Feed.lines", "at": 0.5, "items": [{"at": 1.0}]}
    path = write_tape(tmp_path / "tape.yaml", [entry], HEADER)
    with Reading(path) as reading, pytest.raises(CassetteFormatError, match="`value` is missing"):
        list(read_events(reading, path))


def test_the_keys_of_an_item_are_values_to_redaction() -> None:
    entry: dict[str, Plain] = {"items": [{"at": 1.0, "password": "correct-horse-9"}]}
    made = Secrets(Redaction()).entry(entry)
    assert made == {"items": [{"at": 1.0, "password": "<redacted:password:1>"}]}


@pytest.mark.parametrize(
    "between",
    [[], [Item(call=1, value=1, at=1.0)], [Start(call=2, of="Feed.ask", arguments={}, at=1.0)]],
    ids=["nothing", "an item", "another call"],
)
def test_the_real_duration_of_a_call_is_kept_beside_the_time_of_its_loop(
    between: list[Item | Start], tmp_path: Path
) -> None:
    events = [
        Start(call=1, of="Feed.lines", arguments={}, at=0.5),
        *between,
        End(call=1, outcome="returned", at=1.0, took=0.25),
    ]
    [*_, last] = folded(events, tmp_path / "tape.yaml")
    assert last["took"] == 0.25

    entries = folded(events, tmp_path / "tape.yaml")
    path = tmp_path / "tape.yaml"
    assert [event for entry in entries for event in unfold(entry, path=path, line=1)] == events
