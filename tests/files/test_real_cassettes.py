"""The cassettes of the examples, as they are and damaged in every way."""

from io import BytesIO
from pathlib import Path

import pytest
from cassette_values import FORMAT, YAML, read, same, write
from hypothesis import given
from hypothesis import strategies as st

from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.formats import Format
from vcr_gen.runtime.plain import Plain

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
TAPES = sorted(EXAMPLES.glob("**/cassettes/*.yaml"))
TAPE = pytest.mark.parametrize("tape", TAPES, ids=[path.stem for path in TAPES])


def damaged(chosen: Format, data: bytes) -> list[dict[str, Plain]] | None:
    """The events of a file, or None if it is refused."""
    try:
        chosen.verify(BytesIO(data), Path("tape"))
        return [entry.data for entry in read(chosen, data) if entry.kind == "event"]
    except CassetteFormatError:
        return None


def in_format(chosen: Format, tape: Path) -> tuple[bytes, list[dict[str, Plain]]]:
    header, *events, _ = read(YAML, tape.read_bytes())
    session = [event.data for event in events]
    return write(chosen, header.data, session), session


def test_there_are_cassettes_to_look_at():
    assert TAPES


@TAPE
def test_a_committed_cassette_is_written_as_we_write_now(tape):
    assert in_format(YAML, tape)[0].decode() == tape.read_text("utf-8")


@FORMAT
@TAPE
def test_a_cut_at_any_place_is_refused(chosen, tape):
    data, _ = in_format(chosen, tape)
    for cut in range(0, len(data) - 1, 23):
        assert damaged(chosen, data[:cut]) is None


@FORMAT
@TAPE
def test_a_lost_or_doubled_event_is_refused(chosen, tape):
    data, session = in_format(chosen, tape)
    at = len(data) - len(chosen.end({"events": len(session)}))
    for event in reversed(session):
        piece = chosen.event(event)
        assert damaged(chosen, data[: at - len(piece)] + data[at:]) is None
        assert damaged(chosen, data[:at] + piece + data[at:]) is None
        at -= len(piece)


@FORMAT
@TAPE
@given(choice=st.data())
def test_swapped_lines_give_our_own_errors_or_keep_the_number_of_events(chosen, tape, choice):
    data, session = in_format(chosen, tape)
    lines = data.splitlines(keepends=True)
    one, other = choice.draw(st.tuples(*[st.integers(0, len(lines) - 1)] * 2))
    lines[one], lines[other] = lines[other], lines[one]
    events = damaged(chosen, b"".join(lines))
    assert events is None or len(events) == len(session)
    assert lines[one] != lines[other] or same(session, events)


@FORMAT
@TAPE
@given(choice=st.data())
def test_a_changed_byte_gives_our_own_errors_or_keeps_the_number_of_events(chosen, tape, choice):
    data, session = in_format(chosen, tape)
    changed = bytearray(data)
    changed[choice.draw(st.integers(0, len(data) - 1))] = choice.draw(st.integers(0, 255))
    events = damaged(chosen, bytes(changed))
    assert events is None or len(events) == len(session)
