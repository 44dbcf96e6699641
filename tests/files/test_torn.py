"""A cut or damaged file never loads as something else, and its whole events can be saved."""

from io import BytesIO
from pathlib import Path

import pytest
from cassette_values import (
    AWKWARD_TEXTS,
    FORMAT,
    FORMATS,
    HEADER,
    SESSION,
    events,
    plain_values,
    read,
    same,
    write,
)
from hypothesis import assume, example, given
from hypothesis import strategies as st

from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.formats import Format, yaml_read
from vcr_gen.runtime.plain import Plain


def readable(chosen: Format, data: bytes) -> tuple[list[dict[str, Plain]], bool]:
    """The events that come out before an error, and whether there was none."""
    came: list[dict[str, Plain]] = []
    try:
        for entry in chosen.read(BytesIO(data), Path("tape")):
            came += [entry.data] if entry.kind == "event" else []
    except CassetteFormatError:
        return came, False
    return came, True


def verifies(chosen: Format, data: bytes) -> bool:
    try:
        chosen.verify(BytesIO(data), Path("tape"))
    except CassetteFormatError:
        return False
    return True


@FORMAT
def test_a_cut_at_any_byte_is_noticed_at_once_and_only_whole_events_come_out(chosen):
    session = [*SESSION, {"awkward": list(AWKWARD_TEXTS[:60])}, {"last": "a\n\n\n", "n": 12}]
    data = write(chosen, HEADER, session)
    starts = [len(chosen.header(HEADER))]
    for event in session:
        starts.append(starts[-1] + len(chosen.event(event)))
    for cut in range(len(data) - 1):  # the last byte is a newline that says nothing
        came, complete = readable(chosen, data[:cut])
        assert not complete
        assert not verifies(chosen, data[:cut])
        assert same(session[: len(came)], came)
        whole = sum(start <= cut for start in starts[1:])
        known = whole if chosen.event_start == b"" else max(0, whole - (cut in starts))
        assert len(came) >= known, (cut, data[:cut][-60:])


@FORMAT
def test_whatever_line_is_lost_doubled_or_swapped_events_never_change_silently(chosen):
    data = write(chosen, HEADER, SESSION)
    lines = data.splitlines(keepends=True)
    assert verifies(chosen, data)
    for at in range(len(lines)):
        lost = b"".join(lines[:at] + lines[at + 1 :])
        doubled = b"".join(lines[: at + 1] + lines[at:])
        for changed in (lost, doubled):
            _, complete = readable(chosen, changed)
            # Inside a block of text a line more or less is another text: that is an edit.
            if complete:
                assert verifies(chosen, changed)
                assert len(read(chosen, changed)) == len(SESSION) + 2


@FORMAT
@given(data=st.data())
def test_flipped_bytes_give_our_own_errors_only(chosen, data):
    tape = bytearray(write(chosen, HEADER, SESSION))
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(tape) - 1))
        tape[position] = data.draw(st.integers(0, 255))
    readable(chosen, bytes(tape))
    verifies(chosen, bytes(tape))


@FORMAT
@given(data=st.data())
def test_cut_and_pasted_pieces_give_our_own_errors_only(chosen, data):
    tape = write(chosen, HEADER, SESSION)
    places = st.integers(0, len(tape))
    for _ in range(data.draw(st.integers(1, 3))):
        first, second, third = sorted(data.draw(st.tuples(places, places, places)))
        tape = tape[:first] + tape[second:third] + tape[first:second] + tape[third:]
        places = st.integers(0, len(tape))
    readable(chosen, tape)
    verifies(chosen, tape)


@FORMAT
@given(noise=st.binary(max_size=400))
@example(noise=b"\xff\xfe")
@example(noise=b"\0")
@example(noise=b"%")
@example(noise=b"vcr-gen: 1\nevents:\n- ? - ? - ?")
@example(noise=b'vcr-gen: 1\nevents:\n- "\\U00110000": a')
@example(noise=b'{"vcr-gen":1}\n{"end":{"events":' + b"1" * 5000 + b"}}")
@example(noise=b"vcr-gen: 1\nevents:\nend:\n  events: " + b"1" * 5000)
def test_noise_gives_our_own_errors_only(chosen, noise):
    readable(chosen, noise)
    verifies(chosen, noise)


YAMLISH = st.lists(
    st.sampled_from(
        [
            *("- ", "? ", ": ", "a", "a: ", "\n", "\n  ", "\n    ", "[", "]", "{", "}", ", "),
            *("&x ", "*x", "!t ", "|", ">", "|2-\n", "'", '"', "#", "%", "---\n", "...\n", "\t"),
            *("\r\n", "1", "\\x4", "vcr-gen: 1\n", "events:\n", "end:\n  events: 1\n", "\ufeff"),
            *("\x85", "null", "~", "é"),
        ]
    ),
    max_size=40,
).map("".join)


@given(text=YAMLISH)
def test_text_that_is_almost_yaml_gives_our_own_errors_only(text):
    for start in ("", "vcr-gen: 1\nevents:\n"):
        readable(FORMATS["yaml"], (start + text).encode())


def outcome(data: bytes, *, libyaml: bool) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_read.yaml, "__with_libyaml__", libyaml)
        try:
            return [(entry.kind, entry.data) for entry in read(FORMATS["yaml"], data)]
        except CassetteFormatError:
            return "refused"


@given(data=st.data())
def test_the_parser_in_python_and_libyaml_agree_on_damaged_cassettes(data):
    tape = bytearray(write(FORMATS["yaml"], HEADER, SESSION).replace(b"\t", b">"))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(tape) - 1))
        tape[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=2))
    # Of a text over several lines whose mark is damaged, only libyaml takes a line with a tab.
    assume(b"\t" not in tape)
    assert outcome(bytes(tape), libyaml=True) == outcome(bytes(tape), libyaml=False)


@FORMAT
@given(state=plain_values, event=events, at=st.floats(0, 0.9999))
def test_random_sessions_cut_anywhere_are_refused(chosen, state, event, at):
    data = write(chosen, {**HEADER, "initial_state": state}, [event, {"n": 1}, event])
    cut = data[: int(at * (len(data) - 1))]
    came, complete = readable(chosen, cut)
    assert not complete
    assert not verifies(chosen, cut)
    assert same([event, {"n": 1}, event][: len(came)], came)


def test_a_bad_byte_costs_only_the_event_it_is_in():
    chosen = FORMATS["yaml"]
    good: list[dict[str, Plain]] = [{"n": number, "text": "x" * 90} for number in range(40)]
    for bad in (b"- a: \xff\n", b"- a: \x00\n", b"- a: 'x\xc2\x85'\n", b"- a: \r\n- b: '\r'\n"):
        data = write(chosen, HEADER, good).partition(b"end:")[0] + bad + chosen.event({"n": 1}) * 99
        came, complete = readable(chosen, data)
        assert not complete
        assert same(good, came[:40])
