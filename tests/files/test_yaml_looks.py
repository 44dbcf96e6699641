"""What a person sees in a YAML cassette."""

from io import BytesIO
from pathlib import Path

import pytest
from cassette_values import YAML, read, write

from vcr_gen.runtime.plain import Plain


def shown(value: Plain) -> str:
    return YAML.event({"v": value}).decode()


def test_a_whole_cassette_reads_like_a_script_of_the_session():
    header: dict[str, Plain] = {
        "initial_state": {"working_dir": "${project}"},
        "recorded_at": "2026-11-16T05:00:00+00:00",
    }
    session: list[dict[str, Plain]] = [
        {
            "call": "StepRunner.execute",
            "arguments": {"argv": ["make", "-j2"], "working_dir": "${project}/src", "env": {}},
            "items": [{"stdout": "cc main.c\n\tdone \n"}, {"stdout": "ok\r\n"}, {"exit": 0}],
            "seconds": 1e20,
        },
        {"call": "Clock.now", "returned": None, "matrix": [[1, 2], []]},
    ]
    assert write(YAML, header, session).decode() == (
        "vcr-gen: 1\n"
        'recorded_at: "2026-11-16T05:00:00+00:00"\n'
        "initial_state:\n"
        "  working_dir: ${project}\n"
        "events:\n"
        "- call: StepRunner.execute\n"
        "  arguments:\n"
        "    argv:\n"
        "    - make\n"
        '    - "-j2"\n'
        "    working_dir: ${project}/src\n"
        "    env: {}\n"
        "  items:\n"
        "  - stdout: |\n"
        "      cc main.c\n"
        "      \tdone \n"
        '  - stdout: "ok\\r\\n"\n'
        "  - exit: 0\n"
        "  seconds: 1.0e+20\n"
        "- call: Clock.now\n"
        "  returned: null\n"
        "  matrix:\n"
        "  - - 1\n"
        "    - 2\n"
        "  - []\n"
        "end:\n"
        "  events: 2\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\n", "- v: |\n    a\n    b\n"),
        ("a\nb", "- v: |-\n    a\n    b\n"),
        ("a\n\nb\n\n", "- v: |+\n    a\n\n    b\n\n"),
        ("  a\nb\n", "- v: |2\n      a\n    b\n"),
        ("\ta\nb\n", "- v: |2\n    \ta\n    b\n"),
        ("\na", "- v: |2-\n\n    a\n"),
        ("trailing \n\U0001f600\t\n", "- v: |\n    trailing \n    \U0001f600\t\n"),
        ("a\r\n b\r\n", '- v: "a\\r\\n\\\n    \\ b\\r\\n"\n'),
        ("\x1b[1mok\nthen", '- v: "\\u001b[1mok\\n\\\n    then"\n'),
        ("\n", '- v: "\\n"\n'),
        ("no", '- v: "no"\n'),
        ('{"a": 1}', "- v: '{\"a\": 1}'\n"),
        ("C:\\dir", "- v: 'C:\\dir'\n"),
        ("it's", "- v: it's\n"),
        ("Grüße, 世界", "- v: Grüße, 世界\n"),
        ("a\tb", '- v: "a\\tb"\n'),
        ("\u2028", '- v: "\\u2028"\n'),
    ],
    ids=ascii,
)
def test_text_stays_as_readable_as_yaml_allows(text, expected):
    assert expected == shown(text)


def test_header_keys_have_one_order_whatever_the_order_they_are_given_in():
    one = YAML.header({"rules": [], "anchors": ["a"], "recorded_at": "x"})
    other = YAML.header({"recorded_at": "x", "anchors": ["a"], "rules": [], "vcr-gen": 1})
    assert one == other


def test_a_cassette_without_events_is_whole():
    data = write(YAML, {}, [])
    assert data == b"vcr-gen: 1\nevents:\nend:\n  events: 0\n"
    assert [entry.kind for entry in read(YAML, data)] == ["header", "end"]
    assert YAML.verify(BytesIO(data), Path("tape")) == 0


def test_a_file_laid_out_anew_by_hand_means_the_same():
    data = b"""\
# kept by hand
---
vcr-gen: 1
initial_state:
  a: [1, "two", null]
  'b': >-
     folded
     text
events:

  # the first
  - call: one   # comment
    "text": plain words over
      two lines

  - {call: two, cost: 1.50}
end: {events: 2}
"""
    _, first, second, _ = read(YAML, data)
    assert first.data == {"call": "one", "text": "plain words over two lines"}
    assert second.data == {"call": "two", "cost": 1.5}
    assert (first.line, second.line) == (12, 16)
    assert YAML.verify(BytesIO(data), Path("tape")) == 2
