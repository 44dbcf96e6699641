"""Values and sessions that the tests of cassette files share."""

from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import strategies as st

from vcr_gen.runtime.formats import Entry, Format, format_for
from vcr_gen.runtime.plain import INT_MAX, INT_MIN, Plain

YAML = format_for(Path("a.yaml"))
JSONL = format_for(Path("a.jsonl"))
FORMATS = {"yaml": YAML, "jsonl": JSONL}
FORMAT = pytest.mark.parametrize("chosen", FORMATS.values(), ids=list(FORMATS))
"""For tests of both formats."""

AWKWARD_TEXTS = [
    *("", " ", "  ", "\t", "\n", "\n\n", " \n", "\n ", "\t\n", "\r", "\r\n", "a\rb", "a\r\nb\r\n"),
    *("---", "...", "--- a", "a\n---\n", "a\n...\n", "%YAML 1.1", "# a", "a # b", "a: b", "a:"),
    *(
        "- a",
        "? a",
        ": a",
        "-",
        "?",
        ":",
        "!a",
        "&a",
        "*a",
        "|",
        ">",
        "@a",
        "`a",
        "'a",
        '"a',
        "[",
        "{",
    ),
    *("no", "No", "y", "on", "OFF", "true", "True", "null", "NULL", "~", "<<", "=", "none"),
    *(
        "1",
        "-1",
        "+1",
        "0",
        "-0",
        "1.0",
        "1e3",
        "1.5e3",
        "1.",
        ".5",
        "0x1F",
        "0o7",
        "0b1",
        "010",
        "1_0",
    ),
    *("12:30:45", "190:20:30.15", ".inf", "-.INF", ".nan", "nan", "inf", "2001-12-14", "1e999"),
    *("2001-12-14t21:59:43.10-05:00", "10.0.0.1", "1.2.3", "12a", "9" * 40),
    *(
        "\x00",
        "\x07",
        "\x1b[0m\n",
        "\x7f",
        "\x85",
        "a\x85b\n",
        "\xa0",
        "\u2028",
        "\u2029\n",
        "\ufeff",
    ),
    *("\ufeffa\nb", "\ufffe", "\uffff", "\ufffd", "\U0001f600\n\U0001f600", "\U0010ffff", "\xe9\n"),
    *(
        "a ",
        " a",
        "a \nb ",
        " a\nb",
        "\ta\n\tb",
        "a\n\n\nb\n\n",
        "\n\na\n",
        "a\n ",
        "a\n \n",
        "a\n\t",
    ),
    *(
        "  a\n b\n",
        "\n  a",
        "\\",
        "\\n",
        "a\\\nb",
        '"',
        "'",
        "'\"",
        "'\"\n",
        "key: |\n  text\n",
        "x" * 3000,
    ),
    *(
        "end:\n  events: 0\n",
        "\n- a",
        "{}",
        "[]",
        "a\tb",
        "a\tb\n",
        "\\\n \\",
        "\r\n  a\r\n  b",
        "\0\n \0",
    ),
]

texts = st.one_of(
    st.sampled_from(AWKWARD_TEXTS),
    st.text(st.characters(exclude_categories=("Cs",))),
    st.text(" \t\n\r-:#'\"|>a1.0\x85\u2028\ufeff\x00\\?,[]{}&*!%@`~=<\xe9\U0001f600"),
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(INT_MIN, INT_MAX),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
)
plain_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
events = st.dictionaries(texts, plain_values, max_size=4).filter(
    lambda event: not (len(event) == 1 and isinstance(event.get("end"), dict))
)

SESSION: list[dict[str, Plain]] = [
    {"call": 1, "boundary": "server", "method": "start", "arguments": {"name": "build", "n": 3}},
    {
        "call": 2,
        "boundary": "StepRunner",
        "method": "execute",
        "arguments": {"argv": ["make", "-j2"], "cwd": "${project}/src", "timeout": 2.5, "env": {}},
        "items": ["compiling\n\tmain.c \n", "fäil \U0001f600\r\n", {"code": -1, "flags": []}],
        "returned": None,
    },
    {
        "call": 3,
        "text": "first\n\n  - second: 'x'\n\n\n",
        "more": [[1, [2.0, True]], {"a": {"b": "no"}}],
    },
    {},
    {
        "call": 4,
        "raised": {"$type": "OSError", "args": [2, "No such file"]},
        "": "empty key",
        "1": 1,
    },
]
HEADER: dict[str, Plain] = {
    "vcr-gen": 1,
    "recorded_at": "2026-11-16T05:00:00+00:00",
    "initial_state": {"working_dir": "${project}", "notes": "two\nlines\n"},
    "anchors": ["project"],
    "boundaries": {"StepRunner": {"execute": "(step, *, working_dir)"}},
}


def write(chosen: Format, header: dict[str, Plain], session: list[dict[str, Plain]]) -> bytes:
    """A whole cassette."""
    middle = b"".join(map(chosen.event, session))
    return chosen.header(header) + middle + chosen.end({"events": len(session)})


def read(chosen: Format, data: bytes) -> list[Entry]:
    """All entries; the path is only for messages."""
    return list(chosen.read(BytesIO(data), Path("tape")))


def same(left: object, right: object) -> bool:
    """Equality that tells 1 from True and 1.0, 0.0 from -0.0, and one key order from another."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return repr(left) == repr(right) if isinstance(left, float) else left == right
