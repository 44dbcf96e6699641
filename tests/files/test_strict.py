"""What a cassette may not hold, and the words in which it is refused."""

import re
from pathlib import Path

import pytest
from cassette_values import FORMAT, HEADER, JSONL, YAML, read, write

from vcr_gen.errors import CassetteFormatError, EncodeError, UsageError
from vcr_gen.runtime.formats import (
    Format,
    format_for,
    jsonl_format,
    yaml_read,
)
from vcr_gen.runtime.plain import MAX_DEPTH, Plain
from vcr_gen.runtime.tape.unfolding import unfold


def refusal(chosen: Format, data: bytes) -> tuple[int | None, str]:
    with pytest.raises(CassetteFormatError) as caught:
        read(chosen, data)
    assert type(caught.value) is CassetteFormatError  # a name that users can catch and read
    return caught.value.line, str(caught.value)


@pytest.fixture(params=["libyaml", "pure"])
def _parser(request, monkeypatch):
    if request.param == "pure":
        monkeypatch.setattr(yaml_read.yaml, "__with_libyaml__", False)


YAML_REFUSALS = {
    "an alias": ("- a: *x", "aliases are not allowed"),
    "an anchor": ("- a: &x 1", "anchors are not allowed: &x"),
    "an anchor on a mapping": ("- &x\n  a: 1", "anchors are not allowed: &x"),
    "a tag": ("- a: !!python/object:os.system {}", "tags are not allowed"),
    "a tag on a text": ("- a: !!str 1", "tags are not allowed"),
    "a tag on a key": ("- !x a: 1", "tags are not allowed"),
    "a merge": ("- <<: {a: 1}", "is text to some YAML readers"),
    "a key twice": ("- a: 1\n  b: 2\n  a: 3", "the key 'a' appears twice"),
    "a key that is a number": ("- 1: a", "a key must be text: put '1' in quotes"),
    "a key that is a truth": ("- true: a", "a key must be text: put 'true' in quotes"),
    "a key that is nothing": ("- null: a", "a key must be text"),
    "an empty key": ("- ? \n  : a", "an empty value is unclear"),
    "a key that is a list": ("- [a]: 1", "a key must be text"),
    "a value that is missing": ("- a:", "an empty value is unclear"),
    "yes": ("- a: yes", "'yes' is text to some YAML readers"),
    "an exponent without a dot": ("- a: 1e3", "'1e3' is text to some YAML readers"),
    "an octal": ("- a: 010", "'010' is text to some"),
    "a hexadecimal": ("- a: 0x1F", "'0x1F' is text to some"),
    "a time": ("- a: 12:30:45", "'12:30:45' is text to some"),
    "a date": ("- a: 2026-11-16", "'2026-11-16' is text to some"),
    "an infinity": ("- a: .inf", "'.inf' is text to some"),
    "a plus": ("- a: +1", "'+1' is text to some"),
    "minus nothing": ("- a: -0", "'-0' is text to some"),
    "a tilde": ("- a: ~", "'~' is text to some"),
    "an int above 64 bits": ("- a: 9223372036854775808", "an int must fit into 64 bits"),
    "an int of a million digits": ("- a: " + "9" * 1_000_000, "an int must fit into 64 bits"),
    "a float that overflows": ("- a: 1.0e+999", "too large for a float"),
    "a float that vanishes": ("- a: 0.1e-999", "too small for a float"),
    "an event that is text": ("- text", "an event must be a mapping"),
    "an event that is a list": ("- [a]", "an event must be a mapping"),
    "broken syntax": ("- a: [1", "not valid YAML"),
    "a tab as indentation": ("- a:\n\tb: 1", "not valid YAML"),
    "an escape that is no character": ('- a: "\\Uffffffff"', "not valid YAML"),
    "an escape that is a lone surrogate": ('- a: "\\ud800"', "not valid YAML"),
    "an unknown escape": ('- a: "\\q"', "not valid YAML"),
    "a NUL": ("- a: \0", "U+0000 is allowed only as an escape"),
    "an escape character": ("- a: \x1b", "U+001B is allowed only as an escape"),
    "a raw NEL": ("- a: 'x\x85y'", "U+0085 is allowed only as an escape"),
    "a raw line separator": ("- a: 'x\u2028y'", "U+2028 is allowed only as an escape"),
    "a lone CR": ("- a: 'x\ry'", "U+000D is allowed only as an escape"),
    "a byte order mark inside": ("- a: \ufeffx", "U+FEFF is allowed only as an escape"),
    "something after the list": ("- a: 1\nmore: 1", "only the key `end` can follow the events"),
}


@pytest.mark.usefixtures("_parser")
@pytest.mark.parametrize(("body", "words"), YAML_REFUSALS.values(), ids=list(YAML_REFUSALS))
def test_yaml_refuses_with_the_line(body, words):
    text = f"vcr-gen: 1\nevents:\n- fine: 1\n{body}\nend:\n  events: 2\n"
    line, message = refusal(YAML, text.encode())
    assert words in message
    assert f"tape:{line}: " in message
    assert line is not None
    assert 4 <= line <= 8


WHOLE_FILES = {
    "nothing": (b"", 1, "ends without its end mark"),
    "only spaces": (b"  \n", 1, "ends without its end mark"),
    "another YAML file": (b"interactions:\n- a\n", 2, "not a cassette: the first key is"),
    "a list": (b"- a\n", 1, "not a cassette: it must start with a key"),
    "a text": (b"hello", 1, "not a cassette: it must start with a key"),
    "no version": (b"events:\nend:\n  events: 0\n", 1, "not a cassette: the first key is 'events'"),
    "a later version": (b"vcr-gen: 2\nunknown: 1\n", 1, "format version 2;"),
    "a version that is a truth": (b"vcr-gen: true\nevents:\n", 1, "format version True"),
    "a version that is a float": (b"vcr-gen: 1.0\nevents:\n", 1, "format version 1.0"),
    "a version that is text": (b"vcr-gen: '1'\nevents:\n", 1, "format version '1'"),
    "an unknown key": (
        b"vcr-gen: 1\nrecordedat: x\nevents:\n",
        2,
        "header has no key 'recordedat'",
    ),
    "events as a mapping": (b"vcr-gen: 1\nevents: {}\n", 2, "`events` must be a list"),
    "two documents": (
        b"vcr-gen: 1\nevents:\nend:\n  events: 0\n---\na: 1\n",
        5,
        "nothing can follow the end mark",
    ),
    "a directive": (b"%YAML 1.1\n---\nvcr-gen: 1\nevents:\n", 1, "directives are not allowed"),
    "not UTF-8": (b"vcr-gen: 1\nevents:\n- a: \xff\n", 3, "not UTF-8 text"),
    "UTF-16": ("vcr-gen: 1\n".encode("utf-16"), 1, "not UTF-8 text"),
    "an end mark that counts too few": (
        b"vcr-gen: 1\nevents:\n- a: 1\n- a: 2\nend:\n  events: 1\n",
        5,
        "the end mark counts 1 events, but the file holds 2",
    ),
    "an end mark that says more": (
        b"vcr-gen: 1\nevents:\nend:\n  events: 0\n  b: 1\n",
        3,
        "must say `events: N`",
    ),
    "an end mark that counts with a truth": (
        b"vcr-gen: 1\nevents:\n- a: 1\nend:\n  events: true\n",
        4,
        "must say `events: N`",
    ),
}


@pytest.mark.parametrize(("data", "line", "words"), WHOLE_FILES.values(), ids=list(WHOLE_FILES))
def test_a_file_that_is_no_yaml_cassette_is_refused_with_the_line(data, line, words):
    found, message = refusal(YAML, data)
    assert words in message
    assert line == found


JSONL_REFUSALS = {
    "a key twice": (b'{"a":1,"a":2}', "the key 'a' appears twice"),
    "a nested key twice": (b'{"x":{"a":1,"b":2,"a":1}}', "the key 'a' appears twice"),
    "NaN": (b'{"a":NaN}', "not valid JSON"),
    "Infinity": (b'{"a":-Infinity}', "not valid JSON"),
    "an int above 64 bits": (b'{"a":9223372036854775808}', "an int must fit into 64 bits"),
    "a far larger int": (b'{"a":' + b"9" * 400 + b"}", "an int must fit into 64 bits"),
    "an int of a million digits": (
        b'{"a":' + b"9" * 1_000_000 + b"}",
        "an int must fit into 64 bits",
    ),
    "a float that overflows": (b'{"a":1e999}', "'1e999' is too large for a float"),
    "a float that vanishes": (b'{"a":0.1E-999}', "'0.1E-999' is too small for a float"),
    "a lone surrogate": (b'{"a":"\\ud800"}', "$.a: expected text, got a lone surrogate"),
    "a lone surrogate as key": (b'{"\\ud800":1}', "expected text, got a lone surrogate"),
    "not UTF-8": (b'{"a":"\xff"}', "not UTF-8 text"),
    "a NUL": (b'{"a":"\0"}', "not valid JSON"),
    "a list": (b"[]", "a line must be a JSON object"),
    "an empty line": (b"", "not valid JSON"),
    "two values": (b"{} {}", "not valid JSON"),
    "deep nesting": (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "levels"),
}


@pytest.mark.parametrize("fast", [True, False], ids=["orjson", "json"])
@pytest.mark.parametrize(("body", "words"), JSONL_REFUSALS.values(), ids=list(JSONL_REFUSALS))
def test_jsonl_refuses_with_the_line(body, words, fast, monkeypatch):
    monkeypatch.setattr(jsonl_format, "HAS_ORJSON", fast)
    data = b'{"vcr-gen":1}\n{"fine":1}\n' + body + b'\n{"end":{"events":2}}\n'
    line, message = refusal(JSONL, data)
    assert words in message
    assert line == 3


@pytest.mark.parametrize("fast", [True, False], ids=["orjson", "json"])
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "ends without its end mark"),
        (b"{}\n", "not a cassette"),
        (b'{"vcr-gen":2,"new":1}\n', "unsupported cassette format version 2"),
        (b'{"vcr-gen":1,"new":1}\n', "header has no key 'new'"),
        (b'{"vcr-gen":1}\n{"a":1}\n', "ends without its end mark"),
        (b'{"vcr-gen":1}\n{"a":1}', "ends without its end mark"),
        (b'{"vcr-gen":1}\n{"end":{"events":1}}\n', "counts 1 events, but the file holds 0"),
        (b'{"vcr-gen":1}\n{"end":{"events":0}}\n{"a":1}\n', "nothing can follow the end mark"),
    ],
)
def test_a_file_that_is_no_jsonl_cassette_is_refused(data, words, fast, monkeypatch):
    monkeypatch.setattr(jsonl_format, "HAS_ORJSON", fast)
    assert words in refusal(JSONL, data)[1]


@FORMAT
@pytest.mark.parametrize(
    ("value", "words"),
    [
        (float("nan"), "$.a[1].b: expected a finite float, got nan"),
        (float("-inf"), "$.a[1].b: expected a finite float, got -inf"),
        (2**63, "$.a[1].b: expected an int of 64 bits"),
        ("\ud800", "$.a[1].b: expected text, got a lone surrogate at position 0"),
        ((1, 2), "$.a[1].b: expected a plain value, got tuple"),
        (b"x", "$.a[1].b: expected a plain value, got bytes"),
        ({1: 2}, "$.a[1].b: expected text as key, got int"),
        ({"\ud800": 2}, "$.a[1].b['\\ud800']: expected text, got a lone surrogate"),
    ],
    ids=ascii,
)
def test_what_could_not_be_read_back_is_not_written(chosen, value, words):
    with pytest.raises(EncodeError, match=re.escape(words)):
        chosen.event({"a": [0, {"b": value}]})


@FORMAT
def test_an_event_that_looks_like_an_end_mark_is_not_written(chosen):
    with pytest.raises(EncodeError, match="looks like an end mark"):
        chosen.event({"end": {"events": 3}})
    session: list[dict[str, Plain]] = [{"end": 3}, {"end": {"events": 1}, "call": 1}]
    assert session == [entry.data for entry in read(chosen, write(chosen, HEADER, session))[1:-1]]


@FORMAT
def test_a_header_with_an_unknown_key_or_version_is_not_written(chosen):
    with pytest.raises(UsageError, match="has no key 'events'"):
        chosen.header({"events": []})
    with pytest.raises(UsageError, match="written as version 1"):
        chosen.header({"vcr-gen": 2})


@FORMAT
def test_the_deepest_value_allowed_comes_back_and_one_level_more_is_refused(chosen):
    value: Plain = []
    for _ in range(MAX_DEPTH - 2):
        value = [value]
    assert read(chosen, write(chosen, HEADER, [{"a": value}]))[1].data == {"a": value}
    with pytest.raises(EncodeError, match=f"expected at most {MAX_DEPTH} levels, got more"):
        chosen.event({"a": [value]})


def test_the_deepest_header_allowed_comes_back_and_one_level_more_is_refused():
    def header(levels: int) -> bytes:
        return b"vcr-gen: 1\nrules: " + b"[" * levels + b"]" * levels + b"\nevents:\n"

    end = b"end:\n  events: 0\n"
    value = read(YAML, header(MAX_DEPTH - 1) + end)[0].data
    assert read(JSONL, write(JSONL, value, []))[0].data == value
    assert "levels of nesting" in refusal(YAML, header(MAX_DEPTH) + end)[1]


@pytest.mark.parametrize("opening", [b"[", b"{a: ", b"- ", b"? "])
def test_nesting_without_end_in_yaml_is_refused_without_recursion(opening):
    data = b"vcr-gen: 1\nevents:\n- a:\n   " + opening * 100_000
    assert refusal(YAML, data)[0] is not None


def test_an_alias_bomb_is_refused_at_its_first_anchor():
    bomb = "a: &a [x, x, x]\n" + "".join(
        f"  {chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]\n"
        for n in range(9)
    )
    line, message = refusal(YAML, f"vcr-gen: 1\ninitial_state:\n  {bomb}events:\n".encode())
    assert line == 3
    assert "anchors are not allowed: &a" in message


def test_an_unknown_file_name_says_which_are_known():
    with pytest.raises(CassetteFormatError, match=r"must end in one of \.jsonl, \.yaml, \.yml"):
        format_for(Path("tape.json"))


EVENT_REFUSALS = {
    "an end at call that has not raised": (
        {"end": 1, "at": 0.1, "at_call": True, "returned": None},
        "`at_call` is allowed only with `raised`",
    ),
    "a call that ended at call without raising": (
        {"call": 1, "of": "A.b", "at": 0.0, "took": 0.1, "at_call": True, "returned": 1},
        "`at_call` is allowed only with `raised`",
    ),
    "a start that knows how it will end": (
        {"call": 1, "of": "A.b", "at": 0.0, "at_call": True},
        "unknown key `at_call` in an event",
    ),
    "a call that ended, and how is misspelt": (
        {"call": 1, "of": "A.b", "at": 0.0, "took": 0.1, "returnd": 1},
        "unknown key `returnd` in an event",
    ),
    "a call that ended, and nothing says how": (
        {"call": 1, "of": "A.b", "at": 0.0, "took": 0.1},
        "expected one of returned, raised or cancelled",
    ),
    "two ends": ({"end": 1, "at": 0.1, "returned": 1, "raised": 2}, "expected one of returned"),
    "a number that is none": ({"end": "1", "at": 0.1, "returned": 1}, "expected a call number"),
    "nothing known": ({"x": 1}, "expected an event (call, next, item"),
}


@pytest.mark.parametrize(("entry", "words"), EVENT_REFUSALS.values(), ids=EVENT_REFUSALS)
def test_an_event_that_says_what_cannot_be_is_refused_with_its_line(entry, words):
    with pytest.raises(CassetteFormatError, match=re.escape(words)) as caught:
        list(unfold(entry, path=Path("tape.yaml"), line=7))
    assert caught.value.line == 7
