"""What a field's marker or a rule lets through, and that nothing else gets through."""

import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from market.ports import Answer, Line, Order, RefusedError
from vcr_market import VcrDesk, VcrMarket

from vcr_gen import Cassette, DivergenceError, Driver, Rule, UnusedRuleWarning
from vcr_gen.boundary import Match, Secret, Volatile
from vcr_gen.errors import UsageError, VerificationError
from vcr_gen.runtime.tape.storage import Reading

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
ORDER = Order(
    [Line("tea", 2, 1.5, (Line("leaf", 9, 2.5),))], NOON, NOON, {"x-id": "1", "gift": "no"}
)
BODY = {"id": 1, "items": [{"sku": "a", "at": 1}], "name": "tea"}


class RealMarket:
    def place(self, order: Order, *, trace: str = "") -> int:
        return len(order.lines)

    def post(self, url: str, body: bytes, headers: list[tuple[str, str]]) -> str:
        return "ok"

    def login(self, user: str, *, token: str) -> bool:
        return True

    def haggle(self) -> Iterator[Any]:
        yield 1
        return "done"

    def fetch(self, key: str, options: Any = None) -> str:
        return key

    async def afetch(self, key: str) -> str:
        return key


def session(path: Path, mode: str, program: Callable[[Any], Any], rules: Sequence[Rule]) -> None:
    with Cassette(path, mode, rules=rules) as cassette:
        program(VcrMarket.attach(cassette, RealMarket))


def place(order: Order, trace: str = "t") -> Callable[[Any], Any]:
    return lambda market: market.place(order, trace=trace)


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


def soon(recorded: datetime, actual: datetime) -> bool:
    return abs(recorded - actual) < timedelta(hours=1)


def longer(recorded: str, actual: str) -> bool:
    return len(actual) >= len(recorded)


RECORDED = place(ORDER)
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


class Clerk:
    """Answers questions: `shift` alters what may differ, `wrong` what may not."""

    def __init__(self, shift: float = 0.0, wrong: str = "") -> None:
        self.shift, self.wrong = shift, wrong

    def ask(self, question: str) -> Answer:
        return Answer(question + self.wrong, self.shift)

    def list(self, question: str) -> Iterator[Answer]:
        yield Answer(question, self.shift)
        yield Answer(question + self.wrong, self.shift)

    def fail(self, question: str) -> None:
        raise RefusedError(f"{question} {self.shift}", "no" + self.wrong)


def _answered(path: Path, method: str, clerk: Clerk, rules: Sequence[Rule] = ()) -> None:
    recording = not path.exists()
    with Cassette(path, "once", rules=rules) as cassette:
        desk = VcrDesk(cassette=cassette, inner=clerk)
        if not recording:
            Driver(cassette, desk).run_sync()
        elif method == "fail":
            with pytest.raises(RefusedError):
                desk.fail("why")
        elif method == "list":
            list(desk.list("why"))
        else:
            desk.ask("why")


_PLACES = {"ask": "$result.text", "list": "$item.text", "fail": "$raised.attributes.reason"}


@pytest.mark.parametrize("method", _PLACES)
def test_answers_of_the_application_are_loosened_by_marker_and_by_rule(
    tmp_path: Path, method: str
) -> None:
    tape = tmp_path / "tape.yaml"
    _answered(tape, method, Clerk())

    _answered(tape, method, Clerk(shift=3.0))
    with pytest.raises(DivergenceError) as diverged:
        _answered(tape, method, Clerk(wrong="?"))
    _answered(tape, method, Clerk(wrong="?"), [Rule(f"Desk.{method}", _PLACES[method], Volatile)])

    assert _PLACES[method] in str(diverged.value)


def test_whatever_is_loosened_stands_in_the_header(tmp_path: Path) -> None:
    rules = [
        Rule("Market.place", "order.placed", Match(soon)),
        Rule("Market", "*.x", Volatile),
    ]

    def program(market: Any) -> None:
        market.login("me", token="one")
        market.place(ORDER, trace="t")

    path = tmp_path / "tape.yaml"
    with Cassette(path, "all", rules=rules, order={"Market": "lanes"}) as cassette:
        program(VcrMarket.attach(cassette, RealMarket))

    with Reading(path) as reading:
        header = reading.header
    assert header["rules"] == {
        "Market": {"*.x": "volatile"},
        "Market.login": {"token": "secret"},
        "Market.place": {
            "order.lines[*].**.stamp": "volatile",
            "order.sent": "match about",
            "trace": "volatile",
            "order.placed": "match soon",
        },
    }
    assert header["order"] == {"Market": "lanes"}


def test_a_rule_that_never_applied_is_reported_with_what_may_be_meant(tmp_path: Path) -> None:
    rules = [
        Rule("Market.place", "order.placed", Volatile),
        Rule("Market.plaice", "order.placed", Volatile),
        Rule("Market.post", "body.$json.id", Volatile),
        Rule("Market.place", "oder.placed", Volatile),
        Rule("Market.place", "order.placd", Volatile),
        Rule("Market.place", "order.notes.$json", Volatile),
        Rule("Market.place", "$result", Volatile),
    ]
    session(tmp_path / "tape.yaml", "all", RECORDED, rules)

    with pytest.warns(UnusedRuleWarning) as caught:
        session(tmp_path / "tape.yaml", "none", RECORDED, rules)

    assert str(caught[0].message).splitlines()[1:] == [
        "  Market.plaice order.placed: volatile  "
        "(there is no Market.plaice here; did you mean `Market.place`?)",
        "  Market.post body.$json.id: volatile  (Market.post was not called)",
        "  Market.place oder.placed: volatile  (there is no `oder`; did you mean `order`?)",
        "  Market.place order.placd: volatile  "
        "(no value has such a place; did you mean `placed`?)",
        "  Market.place order.notes.$json: volatile  (the text there holds no JSON)",
        "  Market.place $result: volatile  (no $result was compared)",
    ]
    assert caught[0].filename == __file__


def test_rules_that_applied_are_not_reported(tmp_path: Path) -> None:
    rules = [Rule("Market.place", "order.placed", Volatile)]
    session(tmp_path / "tape.yaml", "all", RECORDED, rules)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session(tmp_path / "tape.yaml", "none", RECORDED, rules)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Rule("Market.place", "order..x", Volatile), "field path 'order..x', column 6"),
        (lambda: Rule("", "order", Volatile), "a rule is for `Boundary.method`; got ''"),
        (lambda: Rule("Market.place", "order", Secret), "a rule's `how` is Volatile or Match"),
        (lambda: Cassette("x.yaml", "all", rules=["order"]), "`rules` takes rules"),
    ],
)
def test_a_rule_that_means_nothing_is_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises(UsageError) as refused:
        make()

    assert words in str(refused.value)


class OtherMarket(RealMarket):
    """A world that has moved on."""

    def post(self, url: str, body: bytes, headers: list[tuple[str, str]]) -> str:
        return json.dumps({"id": 2, "state": "new"})

    def place(self, order: Order, *, trace: str = "") -> int:
        return 99


def _verify(path: Path, rules: Sequence[Rule], trace: str = "t") -> list[str]:
    try:
        with Cassette(path, "verify", rules=rules) as cassette:
            market = VcrMarket.attach(cassette, OtherMarket)
            market.post("/", b"", [])
            market.place(ORDER, trace=trace)
    except VerificationError as error:
        return [line.strip() for line in str(error).splitlines() if ": " in line]
    return []


def test_the_environment_is_verified_with_the_same_rules(tmp_path: Path) -> None:
    class First(RealMarket):
        def post(self, url: str, body: bytes, headers: list[tuple[str, str]]) -> str:
            return json.dumps({"id": 1, "state": "new"})

    path = tmp_path / "tape.yaml"
    with Cassette(path, "all") as cassette:
        market = VcrMarket.attach(cassette, First)
        market.post("/", b"", [])
        market.place(ORDER, trace="t")
    ruled = [Rule("Market.post", "$result.$json.id", Volatile)]
    loose = [*ruled, Rule("Market.place", "$result", Match(max))]

    assert any("$result" in line for line in _verify(path, []))
    assert any("place" in line for line in _verify(path, ruled))
    assert not any("post" in line for line in _verify(path, ruled, trace="other"))
    assert _verify(path, loose, trace="other") == []
