"""Stored values in the short form that messages show."""

import pytest

from vcr_gen.boundary import Shown
from vcr_gen.runtime.failures.call_names import call_name
from vcr_gen.runtime.failures.format_values import readable, show_arguments
from vcr_gen.runtime.plain import Plain


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "None"),
        (True, "True"),
        (1.5, "1.5"),
        ('say "hi"', '"say \\"hi\\""'),
        ([1, [None]], "[1, [None]]"),
        ({"a": 1, "b-c": None}, '{"a": 1, "b-c": None}'),
        ({"$type": "app.ports.ShellAction", "cmd": "ls"}, 'ShellAction(cmd="ls")'),
        ({"$type": "app.ports.Outer.Inner", "x": {"$type": "a.B"}}, "Inner(x=B())"),
        ({"$type": "app.Box[app.ports.Item]", "x": 1}, "Box[Item](x=1)"),
        ({"$type": "pathlib.Path", "$value": "/a"}, 'Path("/a")'),
        ({"$type": "ValueError", "args": ["no stock"]}, 'ValueError("no stock")'),
        ({"$type": "app.Gone", "args": [], "attributes": {"x": 1}}, "Gone(x=1)"),
        (
            {"$type": "app.Gone", "args": [], "attributes": {"of": {"x": 1}, "original": None}},
            "Gone(x=1)",
        ),
        (
            {"$type": "app.Gone", "args": [], "attributes": {"of": {"x y": 1}}},
            'Gone(of={"x y": 1})',
        ),
        ({"$handle": 1}, "handle #1"),
        ({"$callable": 2}, "function #2"),
        ({"$float": "inf"}, "inf"),
        ({"$int": "99999999999999999999"}, "99999999999999999999"),
        ({"$items": [[1, "a"], [[1, 2], None]]}, '{1: "a", [1, 2]: None}'),
        ({"$base64": "AAAA"}, 'base64("AAAA")'),
    ],
)
def test_a_value_reads_like_python(value: Plain, expected: str) -> None:
    assert expected == readable(value)


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("app.ports.Order", "Order(number=7)"),
        ("app.ports.Order | None", "Order(number=7)"),
        ("Order", "Order(number=7)"),
        ("app.ports.Order | app.ports.Bill", '{"number": 7}'),
        ("dict[str, int]", '{"number": 7}'),
        ("typing.Any", '{"number": 7}'),
        ("collections.abc.Mapping", '{"number": 7}'),
        ("not python (", '{"number": 7}'),
        ("", '{"number": 7}'),
    ],
)
def test_the_declared_type_names_the_class(declared: str, expected: str) -> None:
    assert expected == readable({"number": 7}, declared)
    assert f"[{expected}]" == readable([{"number": 7}], f"list[{declared}]")


def test_a_key_that_is_no_name_is_shown_as_a_key() -> None:
    assert readable({"a b": 1}, "app.Order") == '{"a b": 1}'


def test_large_and_deep_values_are_not_looked_at_as_a_whole() -> None:
    deep: Plain = None
    for _ in range(5_000):
        deep = [deep]
    assert len(readable(deep)) < 1_000
    assert len(readable(["word"] * 1_000_000)) < 30_000
    assert len(readable("word" * 1_000_000)) < 30_000


def test_fields_that_differ_come_first() -> None:
    arguments: dict[str, Plain] = {"a": 1, "b": {"x": 1, "y": {"z": 2}}, "c": [1]}
    shown = show_arguments(arguments, {}, {"b.y.z": 0, "c[0]": 0})
    assert shown == 'b={"y": {"z": 2}, "x": 1}, c=[1], a=1'


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        (
            Shown(name="{verb} {url.path}"),
            {"verb": "GET", "url": "http://a/b/c?d#e"},
            "Api GET /b/c",
        ),
        (Shown(name="{url.path}"), {"url": "https://a?b=/c"}, "Api /"),
        (Shown("{verb}", name="{url.path}"), {"url": "/b?c"}, "Api /b"),
        (Shown(name="{}"), "tools/call", "Api tools/call"),
        (Shown(name="{kind.name}"), {"kind": {"name": "x"}}, "Api x"),
        (Shown(name="{kind.name}"), {"kind": "x"}, "Api.ask"),
        (Shown(name="{verb} {kind.name?}"), {"verb": "list"}, "Api list"),
        (Shown(name="{verb} {kind.name?}"), {"verb": "a", "kind": {"name": "b"}}, "Api a b"),
        (Shown("{verb}"), {"verb": "GET"}, "Api.ask"),
    ],
)
def test_an_argument_names_a_call(annotation: Shown, value: Plain, expected: str) -> None:
    signature = f"(what: Annotated[app.What, {annotation!r}]) -> int"
    assert expected == call_name("Api.ask", {"what": value}, signature)


def test_a_record_without_the_fields_of_its_short_form_is_shown_in_full() -> None:
    declared = f"Annotated[What, {Shown('{head}')!r}]"
    assert readable({"head": "200 OK", "x": 1}, declared) == "200 OK"
    assert readable({"json": 1}, declared) == '{"json": 1}'


def test_a_short_form_is_followed_by_the_differing_fields_that_it_does_not_show() -> None:
    types = {"what": f"Annotated[What, {Shown('{verb} {url}')!r}]"}
    arguments: dict[str, Plain] = {"what": {"verb": "GET", "url": "/a", "json": {"x": [1, 2]}}}

    assert show_arguments(arguments, types) == "GET /a"
    assert show_arguments(arguments, types, {"what.url": 1}) == "GET /a"
    shown = show_arguments(arguments, types, {"what.json.x[1]": 0, "what.json.y": 0})
    assert shown == "GET /a, json.x[1]=2, json.y=nothing"
