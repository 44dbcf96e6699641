"""`Match(key=…)`: values are compared, found and reported by what counts of them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from market_sessions import RealMarket, session
from vcr_market import VcrMarket

from vcr_gen import Cassette, DivergenceError, Rule
from vcr_gen.boundary import Match
from vcr_gen.errors import UsageError
from vcr_gen.runtime.values.bound_methods import Bound


def label(*each: dict[str, str]) -> Callable[[Any], Any]:
    return lambda market: [market.label(labels) for labels in each]


def first_letters(key: str) -> str:
    return key[:2]


RULES = [Rule("Market.fetch", "key", Match(key=first_letters))]


def test_what_does_not_count_may_differ(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    session(path, "all", label({"a": "1", "today": "Monday"}), [])
    session(path, "none", label({"today": "Tuesday", "today_too": "x", "a": "1"}), [])


def test_a_difference_is_shown_inside_the_key(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    session(path, "all", label({"a": "1", "today": "Monday"}), [])
    with pytest.raises(DivergenceError) as raised:
        session(path, "none", label({"a": "2", "today": "Tuesday"}), [])
    assert [each.path for each in raised.value.divergence.differences] == ["labels.a"]


def test_a_rule_compares_by_a_key_too(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    session(path, "all", lambda market: market.fetch("abc"), RULES)
    session(path, "none", lambda market: market.fetch("abd"), RULES)
    with pytest.raises(DivergenceError, match="key"):
        session(path, "none", lambda market: market.fetch("bbc"), RULES)


def test_calls_in_any_order_are_found_by_their_keys(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    labels = [{"a": str(number), "today": "Monday"} for number in range(9)]
    session(path, "all", label(*labels), [])
    later = [{**each, "today": "Tuesday"} for each in reversed(labels)]
    with Cassette(path, "none", order="lanes") as cassette:
        found = label(*later)(VcrMarket.attach(cassette, RealMarket))
    assert found == [f"{each['a']}, Monday" for each in later]


def test_of_calls_with_the_same_key_the_first_is_found_though_a_later_one_is_equal(
    tmp_path: Path,
) -> None:
    path = tmp_path / "tape.yaml"
    days = [{"a": "1", "today": day} for day in ("Monday", "Tuesday")]
    session(path, "all", label(*days), [])
    with Cassette(path, "none", order="lanes") as cassette:
        found = label(*reversed(days))(VcrMarket.attach(cassette, RealMarket))
    assert found == ["1, Monday", "1, Tuesday"]


def test_a_key_is_computed_once_for_a_recorded_call_and_at_most_once_for_a_live_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tape.yaml"
    labels = [{"a": str(number), "today": "Monday"} for number in range(50)]
    session(path, "all", label(*labels), [])
    computed: list[Any] = []
    key = Bound.key

    def counted(bound: Bound, stored: Any) -> str:
        computed.append(stored)
        return key(bound, stored)

    monkeypatch.setattr(Bound, "key", counted)
    with Cassette(path, "none", order="lanes") as cassette:
        label(*reversed(labels))(VcrMarket.attach(cassette, RealMarket))
    assert len(computed) <= 2 * len(labels)


def test_a_key_may_contain_bytes(tmp_path: Path) -> None:
    def raw(key: str) -> object:
        return {"first": [key[:1].encode("utf-16")]}

    rules = [Rule("Market.fetch", "key", Match(key=raw))]
    session(tmp_path / "tape.yaml", "all", lambda market: market.fetch("ab"), rules)
    session(tmp_path / "tape.yaml", "none", lambda market: market.fetch("ac"), rules)
    with pytest.raises(DivergenceError, match=r"key\.first\[0\]"):
        session(tmp_path / "tape.yaml", "none", lambda market: market.fetch("bb"), rules)


def test_a_key_must_be_plain_data(tmp_path: Path) -> None:
    def odd(key: str) -> object:
        return {key}

    rules = [Rule("Market.fetch", "key", Match(key=odd))]
    session(tmp_path / "tape.yaml", "all", lambda market: market.fetch("a"), rules)
    with pytest.raises(UsageError, match="expected plain data; got set"):
        session(tmp_path / "tape.yaml", "none", lambda market: market.fetch("b"), rules)


def _fetch(cassette: Cassette, rules: Sequence[Rule], key: str) -> None:
    market = VcrMarket.attach(cassette, RealMarket)
    cassette.loosen(*rules)
    market.fetch(key)


def test_rules_can_be_added_before_the_first_call(tmp_path: Path) -> None:
    with Cassette(tmp_path / "tape.yaml", "all") as cassette:
        _fetch(cassette, RULES, "abc")
        _fetch(cassette, RULES, "abc")  # the same rule again changes nothing
    assert "match first_letters" in (tmp_path / "tape.yaml").read_text()
    with Cassette(tmp_path / "tape.yaml", "none") as cassette:
        _fetch(cassette, RULES, "abd")
        _fetch(cassette, RULES, "abe")


def test_a_rule_that_comes_too_late_is_refused(tmp_path: Path) -> None:
    with Cassette(tmp_path / "tape.yaml", "all") as cassette:
        _fetch(cassette, [], "abc")
        with pytest.raises(UsageError, match="called before its rule was added"):
            cassette.loosen(*RULES)
