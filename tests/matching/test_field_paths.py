"""Field paths: how they are read, what they name, and what replacing does."""

import json

import pytest

from vcr_gen.errors import UsageError
from vcr_gen.field_path_syntax import FieldPath, Wild, parse_path, step_text
from vcr_gen.runtime.codec import MISSING
from vcr_gen.runtime.codec.field_paths import align, find, replace
from vcr_gen.runtime.plain import Plain


@pytest.mark.parametrize(
    ("text", "root", "steps"),
    [
        ("command", "command", ()),
        ("command[2]", "command", (2,)),
        ("größe.straße", "größe", ("straße",)),
        ("options.headers['x-id']", "options", ("headers", "x-id")),
        ("options[\"it's\"]['a\\'b\\\\']", "options", ("it's", "a'b\\")),
        ("steps[*].started", "steps", (Wild.ANY, "started")),
        ("a.*.b", "a", (Wild.ANY, "b")),
        ("tree.**.stamp", "tree", (Wild.DEEP, "stamp")),
        ("body.$json.order[0]", "body", (Wild.JSON, "order", 0)),
        ("$result", "$result", ()),
        ("$raised.args[0]", "$raised", ("args", 0)),
        ("*.trace_id", "*", ("trace_id",)),
    ],
)
def test_a_path_is_read_as_its_steps(text: str, root: str, steps: tuple[object, ...]) -> None:
    assert FieldPath(text, root, steps) == parse_path(text)


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 1, "expected a start; got its end"),
        ("2", 1, "expected a start; got '2'"),
        ("$reslt.id", 1, "expected a start"),
        ("command[", 8, "expected a step; got '['"),
        ("command[-1]", 8, "got '[-1]'"),
        ("command[x]", 8, "got '[x]'"),
        ("a..b", 2, "got '..b'"),
        ("a.$jsn.b", 2, "got '.$jsn.b'"),
        ("a.b c", 4, "got ' c'"),
        ("a['b", 2, "got"),
        ("a.**", 5, "must be followed by a step"),
    ],
)
def test_what_is_no_path_is_refused_with_its_column(text: str, column: int, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_path(text)

    message = str(refused.value)
    assert f"field path {text!r}, column {column}: " in message
    assert words in message
    assert "hint: a path is a parameter" in message


@pytest.mark.parametrize("text", ["a.b[3]", "a['x-y'][*]", "a.**.b.$json['it\\'s \\\\']"])
def test_steps_are_written_as_they_are_read(text: str) -> None:
    path = parse_path(text)

    assert text == path.root + "".join(map(step_text, path.steps))


@pytest.mark.parametrize(
    ("pattern", "place", "covered"),
    [
        ("command", "command[2]", True),
        ("command[2]", "command", False),
        ("command[2]", "command[2].x", True),
        ("command[2]", "command[3]", False),
        ("command[*]", "command[3]", True),
        ("command", "other", False),
        ("*", "$result.id", True),
        ("a.**.id", "a.id", True),
        ("a.**.id", "a.b[1].id.c", True),
        ("a.**.id", "a.b[1].name", False),
        ("a[*]", "a.$json", False),
        ("a.$json.id", "a.$json.id", True),
        ("a[3]", "a['3']", True),
    ],
)
def test_a_path_covers_what_it_names_and_all_inside(
    pattern: str, place: str, covered: bool
) -> None:
    assert covered == parse_path(pattern).covers(parse_path(place))


_CASES: list[tuple[str, Plain, list[Plain]]] = [
    ("x", 7, [7]),
    ("x.a", {"a": 1, "b": 2}, [1]),
    ("x['a b']", {"a b": 1}, [1]),
    ("x[1]", [5, 6], [6]),
    ("x[1]", {"1": "an int key"}, ["an int key"]),
    ("x[*].id", [{"id": 1}, {"no": 0}, {"id": 2}], [1, 2]),
    ("x.*", {"$type": "A", "a": 1}, [1]),
    ("x.a", {"$type": "Meta", "$value": {"a": 1}}, [1]),
    ("x['$ref']", {"$items": [["$ref", 1], [2, 3]]}, [1]),
    ("x[2]", {"$items": [["$ref", 1], [2, 3]]}, [3]),
    ("x['set-cookie']", [["set-cookie", "a"], ["via", "b"], ["set-cookie", "c"]], ["a", "c"]),
    ("x.**.id", {"id": 1, "in": [{"id": 2, "deep": {"id": 3}}]}, [1, 2, 3]),
    ("x.$json.id", '{"id": 4}', [4]),
    ("x.$json[*].id", '[{"id": 4}, {"id": 5}]', [4, 5]),
    ("x.$json.id", "no json", []),
    ("x.$json.id", '{"id": 1, "id": 2}', []),
    ("x.a.b", {"a": 1}, []),
    ("x[9]", [1], []),
]


@pytest.mark.parametrize(("text", "value", "expected"), _CASES)
def test_a_path_finds_every_place_it_names(text: str, value: Plain, expected: list[Plain]) -> None:
    assert expected == list(find(parse_path(text), value))


@pytest.mark.parametrize(("text", "value", "expected"), _CASES)
def test_replacing_changes_these_places_alone_and_not_the_value_itself(
    text: str, value: Plain, expected: list[Plain]
) -> None:
    path = parse_path(text)
    before = json.dumps(value)

    replaced = replace(path, value, lambda each: ["new", each])

    assert [["new", each] for each in expected] == list(find(path, replaced))
    assert json.dumps(value) == before
    if not expected:
        assert replaced is value
    restored = replace(path, replaced, lambda each: each[1] if isinstance(each, list) else None)
    assert value == restored


@pytest.mark.parametrize(
    ("text", "recorded", "actual", "aligned"),
    [
        ("x", 1, 2, 1),
        ("x.a", {"a": 1, "b": 1}, {"a": 2, "b": 2}, {"a": 1, "b": 2}),
        ("x.a", {"b": 1}, {"a": 2, "b": 1}, {"b": 1}),
        ("x.a", {"a": 2, "b": 1}, {"b": 1}, {"a": 2, "b": 1}),
        ("x[*]", [1], [2, 3], [1]),
        ("x[*]", [1, 2], [3], [1, 2]),
        ("x[*].id", [{"id": 1}], [{"id": 2}, {"id": 3}], [{"id": 1}, {"id": 3}]),
        ("x.$json.id", '{"id": 1, "a": 2}', '{"a":2,"id":9}', '{"id": 1, "a": 2}'),
        ("x.$json.id", '{"id": 1, "a": 2}', '{"id": 9, "a": 3}', '{"id": 1, "a": 3}'),
        ("x.via", [["via", 1]], [["age", 3], ["via", 2]], [["age", 3], ["via", 1]]),
    ],
)
def test_aligning_takes_the_recorded_value_at_each_place(
    text: str, recorded: Plain, actual: Plain, aligned: Plain
) -> None:
    assert aligned == align(parse_path(text), recorded, actual, lambda _, left, __: left)


def test_one_sided_places_are_offered_as_missing() -> None:
    seen: list[object] = []

    def choose(place: object, left: object, right: Plain) -> Plain:
        seen.append((place, left, right))
        return right

    align(parse_path("x.a"), {"b": 1}, {"a": 2}, choose)  # one side has no such entry

    assert seen == [(("a",), MISSING, 2)]
