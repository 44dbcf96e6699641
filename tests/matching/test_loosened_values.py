"""What a field's marker or a rule lets through, and that nothing else gets through."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from market.ports import Line, Order
from market_sessions import NOON, ORDER, RECORDED, place, session, soon

from vcr_gen import DivergenceError, Rule
from vcr_gen.boundary import Match, Volatile

BODY = {"id": 1, "items": [{"sku": "a", "at": 1}], "name": "tea"}


def post(body: Any, headers: Sequence[tuple[str, str]] = ()) -> Callable[[Any], Any]:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda market: market.post("/", text, list(headers))


def haggle(line: Line) -> Callable[[Any], Any]:
    def program(market: Any) -> None:
        talk = market.haggle()
        next(talk)
        with pytest.raises(StopIteration):
            talk.send(line)

    return program


def line(**changes: Any) -> Order:
    return replace(ORDER, lines=[replace(ORDER.lines[0], **changes)])


def longer(recorded: str, actual: str) -> bool:
    return len(actual) >= len(recorded)


HEADERS = [("via", "a"), ("x-id", "1"), ("x-id", "2")]
_LET_THROUGH = {
    "a marked parameter": (RECORDED, place(ORDER, "other"), []),
    "a marked field in a list": (RECORDED, place(line(stamp=9.0)), []),
    "a marked field of a recursive type": (
        RECORDED,
        place(line(parts=(Line("leaf", 9, 7.5),))),
        [],
    ),
    "a field that a function compares": (
        RECORDED,
        place(replace(ORDER, sent=NOON + timedelta(seconds=59))),
        [],
    ),
    "a marked field of what is sent": (haggle(Line("a", 1, 1.0)), haggle(Line("a", 1, 2.0)), []),
    "a secret": (
        lambda market: market.login("me", token="one"),
        lambda market: market.login("me", token="two"),
        [],
    ),
    "a rule for a field": (
        RECORDED,
        place(replace(ORDER, placed=NOON + timedelta(days=3))),
        [Rule("Market.place", "order.placed", Volatile)],
    ),
    "a rule for a boundary": (
        RECORDED,
        place(replace(ORDER, placed=NOON + timedelta(days=3))),
        [Rule("Market", "order.placed", Volatile)],
    ),
    "a rule for everything": (
        RECORDED,
        place(replace(ORDER, placed=NOON + timedelta(days=3))),
        [Rule("*", "*.placed", Volatile)],
    ),
    "a rule for items": (
        RECORDED,
        place(line(count=3)),
        [Rule("Market.place", "order.lines[*].count", Volatile)],
    ),
    "a rule for one item": (
        RECORDED,
        place(line(count=3)),
        [Rule("Market.place", "order.lines[0].count", Volatile)],
    ),
    "a rule at any depth": (
        RECORDED,
        place(line(parts=(Line("leaf", 10),))),
        [Rule("Market.place", "order.**.count", Volatile)],
    ),
    "a rule for a key": (
        RECORDED,
        place(replace(ORDER, notes={"x-id": "2", "gift": "no"})),
        [Rule("Market.place", "order.notes['x-id']", Volatile)],
    ),
    "a key that is not there": (
        RECORDED,
        place(replace(ORDER, notes={"gift": "no"})),
        [Rule("Market.place", "order.notes['x-id']", Volatile)],
    ),
    "a function sees the program's types": (
        RECORDED,
        place(replace(ORDER, placed=NOON + timedelta(minutes=59))),
        [Rule("Market.place", "order.placed", Match(soon))],
    ),
    "a field of JSON in bytes": (
        post(BODY),
        post({**BODY, "id": 2}),
        [Rule("Market.post", "body.$json.id", Volatile)],
    ),
    "a field of JSON, another layout": (
        post(BODY),
        post(json.dumps({"name": "tea", **BODY, "id": 2}, indent=1).encode()),
        [Rule("Market.post", "body.$json.id", Volatile)],
    ),
    "items of JSON, by a function": (
        post(BODY),
        post({**BODY, "items": [{"sku": "ab", "at": 1}]}),
        [Rule("Market.post", "body.$json.items[*].sku", Match(longer))],
    ),
    "two rules for one text": (
        post(BODY),
        post({**BODY, "id": 3, "items": [{"sku": "a", "at": 2}]}),
        [
            Rule("Market.post", "body.$json.id", Volatile),
            Rule("Market.post", "body.$json.items[*].at", Volatile),
        ],
    ),
    "a header in a list of pairs": (
        post(BODY, HEADERS),
        post(BODY, [("via", "a"), ("x-id", "3"), ("x-id", "4")]),
        [Rule("Market.post", "headers['x-id']", Volatile)],
    ),
    "what is sent into a stream": (
        haggle(Line("a", 1)),
        haggle(Line("a", 2)),
        [Rule("Market.haggle", "$sent.count", Volatile)],
    ),
}
_NOTICED = {
    "another field": (RECORDED, place(line(name="coffee")), ""),
    "a field beside a rule's": (
        RECORDED,
        place(replace(line(count=3), placed=NOON + timedelta(days=3))),
        "order.lines[0].count",
    ),
    "what a function refuses": (
        RECORDED,
        place(replace(ORDER, sent=NOON + timedelta(seconds=61))),
        "about says they differ",
    ),
    "a field of JSON beside a rule's": (
        post(BODY),
        post({**BODY, "id": 2, "name": "coffee"}),
        "body.$json.name",
    ),
    "a header beside a rule's": (
        post(BODY, HEADERS),
        post(BODY, [("via", "b"), ("x-id", "3"), ("x-id", "4")]),
        "headers[0][1]",
    ),
    "an item more": (
        RECORDED,
        place(replace(ORDER, lines=[*ORDER.lines, Line("milk", 1)])),
        "order.lines[1]",
    ),
    "JSON that is none any more": (post(BODY), post(b"tea"), "body"),
}
_RULES = [
    Rule("Market.place", "order.placed", Volatile),
    Rule("Market.place", "order.lines[*].stamp", Volatile),
    Rule("Market.post", "body.$json.id", Volatile),
    Rule("Market.post", "headers['x-id']", Volatile),
]


@pytest.mark.parametrize("suffix", ["yaml", "jsonl"])
@pytest.mark.parametrize("case", _LET_THROUGH)
def test_what_a_marker_or_rule_names_may_differ(tmp_path: Path, case: str, suffix: str) -> None:
    recorded, altered, rules = _LET_THROUGH[case]
    path = tmp_path / f"tape.{suffix}"

    session(path, "all", recorded, rules)

    session(path, "none", recorded, rules)
    session(path, "none", altered, rules)
    if rules:
        with pytest.raises(DivergenceError):
            session(path, "none", altered, [])


@pytest.mark.filterwarnings("ignore::vcr_gen.UnusedRuleWarning")
@pytest.mark.parametrize("case", _NOTICED)
def test_everything_else_is_noticed_with_its_place(tmp_path: Path, case: str) -> None:
    recorded, altered, words = _NOTICED[case]
    session(tmp_path / "tape.yaml", "all", recorded, _RULES)

    with pytest.raises(DivergenceError) as diverged:
        session(tmp_path / "tape.yaml", "none", altered, _RULES)

    assert words in str(diverged.value)


def test_what_a_rules_function_refuses_is_a_difference_at_its_place(tmp_path: Path) -> None:
    rules = [Rule("Market.place", "order.placed", Match(soon))]
    session(tmp_path / "tape.yaml", "all", RECORDED, rules)

    later = place(replace(ORDER, placed=NOON + timedelta(hours=2)))
    with pytest.raises(DivergenceError) as diverged:
        session(tmp_path / "tape.yaml", "none", later, rules)

    assert "order.placed: soon says they differ" in str(diverged.value)
