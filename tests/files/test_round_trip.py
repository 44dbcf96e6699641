from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from cassette_values import (
    AWKWARD_TEXTS,
    FORMAT,
    HEADER,
    JSONL,
    SESSION,
    YAML,
    events,
    plain_values,
    read,
    same,
    write,
)
from hypothesis import given
from ruamel import yaml as ruamel_yaml

from vcr_gen.runtime.formats import Format, jsonl_format
from vcr_gen.runtime.formats.yaml_quick import read_quickly
from vcr_gen.runtime.formats.yaml_read import parse_entries
from vcr_gen.runtime.plain import Plain


def assert_round_trip(chosen: Format, state: Plain, session: list[dict[str, Plain]]) -> bytes:
    header = {**HEADER, "initial_state": state}
    data = write(chosen, header, session)
    first, *middle, last = read(chosen, data)
    assert same(header, first.data)
    assert same(session, [entry.data for entry in middle])
    assert same({"events": len(session)}, last.data)
    assert ["header", *["event"] * len(session), "end"] == [e.kind for e in read(chosen, data)]
    return data


@FORMAT
@given(state=plain_values, session=events.map(lambda event: [event]))
def test_every_plain_value_comes_back_the_same(chosen, state, session):
    assert_round_trip(chosen, state, session)


@FORMAT
@pytest.mark.parametrize("text", AWKWARD_TEXTS, ids=ascii)
def test_every_awkward_text_comes_back_as_value_key_item_and_nested(chosen, text):
    session = [{text: text}, {"a": {text: [text, [text, {text: text}]]}}, {"a": [], "b": text}]
    assert_round_trip(chosen, text, session)


@given(state=plain_values, event=events)
def test_the_quick_reader_of_yaml_and_the_parser_agree(state, event):
    data = write(YAML, {**HEADER, "initial_state": state}, [event, {"a": 1}])
    quick = list(read_quickly(BytesIO(data)))
    parsed = list(parse_entries(BytesIO(data), Path("tape.yaml")))
    assert same([e.data for e in parsed[: len(quick)]], [e.data for e in quick])
    assert parsed[: len(quick)] == quick


@pytest.mark.parametrize("text", AWKWARD_TEXTS, ids=ascii)
def test_the_parser_reads_every_awkward_text_too(text):
    session = [{text: text}, {"a": {text: [text, [text, {text: text}]]}}, {"a": [], "b": text}]
    data = write(YAML, HEADER, session)
    parsed = list(parse_entries(BytesIO(data), Path("tape.yaml")))
    assert same(session, [entry.data for entry in parsed[1:-1]])


def test_a_session_as_we_write_it_needs_no_parser():
    data = write(YAML, HEADER, [event for event in SESSION if event])
    assert list(parse_entries(BytesIO(data), Path("a.yaml"))) == list(read_quickly(BytesIO(data)))


@FORMAT
def test_a_session_comes_back_with_the_line_of_every_event(chosen):
    data = assert_round_trip(chosen, HEADER["initial_state"], SESSION)
    lines = data.decode().splitlines()
    starts = {"yaml": ("- ", "end:"), "jsonl": ("{", '{"end":')}
    start, end = starts["yaml" if chosen is YAML else "jsonl"]
    for entry in read(chosen, data)[1:-1]:
        assert lines[entry.line - 1].startswith(start)
    assert lines[read(chosen, data)[-1].line - 1].startswith(end)


def ruamel_load(text: str) -> Any:
    return ruamel_yaml.YAML(typ="safe", pure=True).load(text)


def yaml_12_load(text: str) -> Any:
    loader = ruamel_yaml.YAML(typ="safe", pure=True)
    loader.version = "1.2"
    return loader.load(text)


FOREIGN = {
    "PyYAML with libyaml": lambda text: yaml.load(text, yaml.CSafeLoader),
    "PyYAML in Python": yaml.safe_load,
    "ruamel": ruamel_load,
    "ruamel as YAML 1.2": yaml_12_load,
}


@pytest.mark.parametrize("load", FOREIGN.values(), ids=list(FOREIGN))
@given(event=events, state=plain_values)
def test_other_yaml_readers_see_the_same_values(load, event, state):
    data = write(YAML, {**HEADER, "initial_state": state}, [event])
    loaded = load(data.decode())
    assert same([event], loaded["events"])
    assert same(state, loaded["initial_state"])


@pytest.mark.parametrize("load", FOREIGN.values(), ids=list(FOREIGN))
@pytest.mark.parametrize("text", AWKWARD_TEXTS, ids=ascii)
def test_other_yaml_readers_see_the_same_awkward_texts(load, text):
    event = {text: [text, {"a": text}], "b": {text: text}}
    assert same([event], load(write(YAML, HEADER, [event]).decode())["events"])


@given(state=plain_values, event=events)
def test_a_checkout_with_crlf_line_ends_loads_with_equal_values(state, event):
    data = write(YAML, {**HEADER, "initial_state": state}, [event])
    checked_out = data.replace(b"\n", b"\r\n")
    assert [e.data for e in read(YAML, data)] == [e.data for e in read(YAML, checked_out)]
    data = write(JSONL, {**HEADER, "initial_state": state}, [event])
    assert read(JSONL, data) == read(JSONL, data.replace(b"\n", b"\r\n"))


@FORMAT
def test_a_byte_order_mark_at_the_start_is_ignored(chosen):
    data = write(chosen, HEADER, SESSION)
    assert read(chosen, data) == read(chosen, b"\xef\xbb\xbf" + data)


@given(event=events)
def test_jsonl_means_the_same_with_and_without_orjson(event):
    assert jsonl_format.HAS_ORJSON
    with pytest.MonkeyPatch.context() as patch:
        fast = JSONL.event(event)
        patch.setattr(jsonl_format, "HAS_ORJSON", False)
        slow = JSONL.event(event)
        assert same(event, jsonl_format.parse_line(fast))
        patch.setattr(jsonl_format, "HAS_ORJSON", True)
        assert same(event, jsonl_format.parse_line(slow))


def test_formats_are_chosen_by_the_name_alone():
    from vcr_gen.runtime.formats import format_for

    assert format_for(Path("x/a.YML")) is YAML
    assert format_for(Path("a.b.jsonl")) is JSONL
