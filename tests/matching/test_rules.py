"""What rules apply to, what is told of them, and which are refused."""

import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from market.ports import Answer, Order, RefusedError, Rented
from market_sessions import NOON, ORDER, RECORDED, RealMarket, RealStall, place, session, soon
from tape_data import read_header
from vcr_market import VcrDesk, VcrMarket

from vcr_gen import Cassette, DivergenceError, Driver, Rule, UnusedRuleWarning
from vcr_gen.boundary import Match, Secret, Volatile
from vcr_gen.errors import UsageError, VerificationError


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

    header = read_header(path)
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
        "(unknown method Market.plaice; did you mean `Market.place`?)",
        "  Market.post body.$json.id: volatile  (Market.post was not called)",
        "  Market.place oder.placed: volatile  (unknown parameter `oder`; did you mean `order`?)",
        "  Market.place order.placd: volatile  " "(no value has this path; did you mean `placed`?)",
        "  Market.place order.notes.$json: volatile  (the text is not JSON)",
        "  Market.place $result: volatile  (no $result was compared)",
    ]
    assert caught[0].filename == session.__code__.co_filename


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
        (lambda: Rule("", "order", Volatile), "a rule names `Boundary.method`; got ''"),
        (
            lambda: Rule("Market.place", "order", Secret),
            "a rule's `how` is Volatile, Echoed or Match",
        ),
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


def _rent(path: Path, mode: str, where: str, since: float) -> None:
    class Renting(RealMarket):
        def rent(self) -> Rented:
            return Rented(RealStall(), where, since)

    with Cassette(path, mode) as cassette:
        assert VcrMarket.attach(cassette, Renting).rent().stall.sell("tea") == 3


def test_fields_beside_a_live_object_are_verified_as_loosened(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    _rent(path, "all", "gate", 1.0)
    _rent(path, "verify", "gate", 2.0)
    with pytest.raises(VerificationError, match=r"\$result\.where: value differs"):
        _rent(path, "verify", "wall", 2.0)


def test_one_rule_may_be_for_several_boundaries(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    rules = [
        Rule("Shop|Market", "trace", Volatile),
        Rule("Desk.ask|Market.place", "order", Volatile),
    ]
    session(path, "all", RECORDED, rules)
    assert read_header(path)["rules"].keys() == {"Market", "Market.place"}
    with warnings.catch_warnings(action="error"):
        session(path, "none", place(Order([], NOON, NOON)), rules)
