"""Strategies: what of a call must agree with the recorded one, and where it is looked for."""

import asyncio
import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from market_sessions import RealMarket
from tape_data import read_header
from vcr_market import MarketFetch, VcrDesk, VcrMarket

from vcr_gen import Cassette, DivergenceError, Rule, UnusedRuleWarning
from vcr_gen.boundary import Volatile
from vcr_gen.errors import UnusedEventsError, UsageError
from vcr_gen.runtime.replay import call_index

Call = tuple[str, Mapping[str, int]]


def fetch(*calls: Call) -> Callable[[Any], list[str]]:
    return lambda market: [market.fetch(key, dict(options)) for key, options in calls]


def session(
    path: Path, mode: str, program: Callable[[Any], Any], strategy: Any, **more: Any
) -> Any:
    with Cassette(path, mode, strategy=strategy, **more) as cassette:
        return program(VcrMarket.attach(cassette, RealMarket))


RECORDED = fetch(("a", {"x": 1}), ("b", {"x": 2}))
SAME = RECORDED
SWAPPED = fetch(("b", {"x": 2}), ("a", {"x": 1}))
OTHER = fetch(("a", {"x": 1}), ("c", {"y": 7}))
MORE = fetch(("a", {"x": 1, "y": 7}), ("b", {"x": 2}))
LESS = fetch(("a", {}), ("b", {"x": 2}))
FEWER = fetch(("a", {"x": 1}))


def same_key(recorded: MarketFetch, actual: MarketFetch) -> bool:
    assert isinstance(recorded, MarketFetch)
    assert isinstance(actual, MarketFetch)
    return recorded.key == actual.key


def never(recorded: MarketFetch, actual: MarketFetch) -> bool:
    return recorded is actual


@pytest.mark.parametrize("suffix", ["yaml", "jsonl"])
@pytest.mark.parametrize(
    ("strategy", "accepted", "refused"),
    [
        ("exact", [SAME], [SWAPPED, OTHER, MORE, LESS, FEWER]),
        ("method", [SAME, SWAPPED, OTHER, MORE, LESS], [FEWER]),
        ("method_and_arguments", [SAME, SWAPPED], [OTHER, MORE, LESS, FEWER]),
        ("subset", [SAME, MORE], [SWAPPED, OTHER, LESS, FEWER]),
        ("sequential", [SAME, SWAPPED, OTHER, MORE, LESS], [FEWER]),
        (same_key, [SAME, MORE, LESS], [SWAPPED, OTHER, FEWER]),
    ],
)
def test_a_strategy_accepts_what_it_says_and_nothing_else(
    tmp_path: Path, strategy: Any, accepted: Sequence[Any], refused: Sequence[Any], suffix: str
) -> None:
    path = tmp_path / f"tape.{suffix}"
    recorded = session(path, "all", RECORDED, strategy)

    for program in accepted:
        answers = session(path, "none", program, strategy)
        expected = ["b", "a"] if (program, strategy) == (SWAPPED, "method_and_arguments") else None
        assert answers == (expected or recorded)
    for program in refused:
        with pytest.raises((DivergenceError, UnusedEventsError)):
            session(path, "none", program, {"Market": strategy})


@pytest.mark.parametrize("strategy", ["method", "sequential", "subset", same_key])
def test_another_method_is_never_accepted(tmp_path: Path, strategy: Any) -> None:
    path = tmp_path / "tape.yaml"
    session(path, "all", RECORDED, strategy)

    with pytest.raises(DivergenceError, match=r"Market\.login was called"):
        session(path, "none", lambda market: market.login("a", token="b"), strategy)


@pytest.mark.parametrize("strategy", ["method", "subset", same_key])
def test_order_still_says_where_a_call_is_looked_for(tmp_path: Path, strategy: Any) -> None:
    path = tmp_path / "tape.yaml"
    session(path, "all", RECORDED, strategy)

    answers = session(path, "none", SWAPPED, strategy, order="lanes")

    assert answers == (["a", "b"] if strategy == "method" else ["b", "a"])


def test_a_sequence_is_the_boundarys_whoever_makes_the_calls(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    session(path, "all", RECORDED, "sequential")

    def in_another_thread(market: Any) -> list[str]:
        answers: list[str] = []
        for key in ("x", "y"):
            thread = Thread(target=lambda key=key: answers.append(market.fetch(key, {})))
            thread.start()
            thread.join()
        return answers

    assert session(path, "none", in_another_thread, "sequential") == ["a", "b"]


def test_calls_of_tasks_are_found_by_their_arguments(tmp_path: Path) -> None:
    def program(keys: str) -> Callable[[Any], Any]:
        async def both(market: Any) -> list[str]:
            return list(await asyncio.gather(*(market.afetch(key) for key in keys)))

        return lambda market: asyncio.run(both(market))

    path = tmp_path / "tape.yaml"
    session(path, "all", program("ab"), "method_and_arguments")

    assert session(path, "none", program("ba"), "method_and_arguments") == ["b", "a"]


def test_awaited_calls_may_come_in_any_order_before_their_time_out(tmp_path: Path) -> None:
    def program(keys: str) -> Callable[[Any], Any]:
        async def each(market: Any) -> list[str]:
            async with asyncio.timeout(5):
                return [await market.afetch(key) for key in keys]

        return lambda market: asyncio.run(each(market))

    path = tmp_path / "tape.yaml"
    session(path, "all", program("abc"), "method_and_arguments")

    assert session(path, "none", program("cab"), "method_and_arguments") == ["c", "a", "b"]
    with pytest.raises(UnusedEventsError):
        session(path, "none", program("ca"), "method_and_arguments")


def test_what_a_matcher_refuses_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    session(path, "all", RECORDED, same_key)

    with pytest.raises(DivergenceError, match="key: value differs"):
        session(path, "none", SWAPPED, same_key)
    with pytest.raises(DivergenceError, match="never says they differ"):
        session(path, "none", SAME, never)


def test_volatile_fields_are_left_out_of_the_key(tmp_path: Path) -> None:
    def program(*stamps: int) -> Callable[[Any], Any]:
        return fetch(*((f"k{stamp % 10}", {"stamp": stamp}) for stamp in stamps))

    rules = [Rule("Market.fetch", "options.stamp", Volatile)]
    path = tmp_path / "tape.yaml"
    session(path, "all", program(11, 12, 13), "method_and_arguments", rules=rules)

    answers = session(path, "none", program(23, 21, 22), "method_and_arguments", rules=rules)

    assert answers == ["k3", "k1", "k2"]


def test_the_header_says_the_strategy(tmp_path: Path) -> None:
    found = []
    for number, strategy in enumerate(
        ["exact", "subset", same_key, {"Market": "method", "Bank": "exact"}]
    ):
        path = tmp_path / f"{number}.yaml"
        session(path, "all", RECORDED, strategy)
        found.append(read_header(path).get("strategy"))

    assert found == [None, "subset", "match same_key", {"Market": "method"}]


def test_a_strategy_for_a_boundary_that_is_not_there_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    session(path, "all", RECORDED, "exact")

    with pytest.warns(UnusedRuleWarning, match="strategy of Markt .*did you mean `Market`"):
        session(path, "none", RECORDED, {"Markt": "method"})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"strategy": "methods"}, "unknown strategy 'methods': expected one of exact, method"),
        ({"strategy": "sequential", "order": "total"}, "contradicts order='total'"),
    ],
)
def test_what_has_no_meaning_is_refused(
    tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    with (
        pytest.raises(UsageError, match=words),
        Cassette(tmp_path / "tape.yaml", "all", **options) as cassette,
    ):
        VcrMarket.attach(cassette, RealMarket)


def test_a_strategy_for_an_inbound_boundary_is_refused(tmp_path: Path) -> None:
    cassette = Cassette(tmp_path / "tape.yaml", "all", strategy={"Desk": "method"})

    with cassette, pytest.raises(UsageError, match="Desk is inbound"):
        VcrDesk(cassette=cassette, inner=None)


def tape_of(path: Path, count: int) -> Path:
    """A cassette of that many calls, in the file's own words."""
    lines = [{"vcr-gen": 1, "recorded_at": "2026-11-16T00:00:00+00:00"}]
    for number in range(1, count + 1):
        arguments = {"key": f"k{number}", "options": {"x": 0}}
        entry = {"call": number, "of": "Market.fetch", "at": 0.0, "args": arguments}
        lines.append({**entry, "took": 0.0, "returned": "v"})
    lines.append({"end": {"events": count}})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def seconds_of(path: Path, numbers: Sequence[int], **options: Any) -> float:
    def program(market: Any) -> None:
        for number in numbers:
            market.fetch(f"k{number}", {"x": 0})

    began = time.process_time()
    session(path, "none", program, **options)
    return time.process_time() - began


@pytest.mark.parametrize(
    ("strategy", "order", "backwards"),
    [
        ("exact", "strand", False),
        ("method", "lanes", True),
        ("subset", "lanes", False),
        ("sequential", "strand", True),
        ("method_and_arguments", "strand", True),
        (same_key, "strand", False),
    ],
)
def test_a_tape_of_5_000_calls_replays_in_linear_time(
    tmp_path: Path, strategy: Any, order: Any, backwards: bool
) -> None:
    times = []
    for count in (1_000, 5_000):
        numbers = range(count, 0, -1) if backwards else range(1, count + 1)
        path = tape_of(tmp_path / f"{count}.jsonl", count)
        times.append(seconds_of(path, numbers, strategy=strategy, order=order))

    assert times[1] / times[0] < 11  # five times the calls; quadratic would be 25


def test_dropping_the_calls_that_were_made_costs_no_more_on_a_long_tape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[int] = []
    forget_done = call_index._forget_done

    def counted(queues: Collection[Any]) -> None:
        looked_at.append(sum(map(len, queues)))
        forget_done(queues)

    monkeypatch.setattr(call_index, "_forget_done", counted)
    count = 4_000
    path = tape_of(tmp_path / "tape.jsonl", count)
    seconds_of(path, [count, *range(1, count)], strategy="exact", order="lanes")

    assert sum(looked_at) < 10 * count


def test_calls_with_secrets_are_found_by_their_arguments_too(tmp_path: Path) -> None:
    def program(*logins: tuple[str, str]) -> Callable[[Any], None]:
        return lambda market: [market.login(user, token=token) for user, token in logins]

    path = tmp_path / "tape.yaml"
    session(path, "all", program(("a", "1-secret"), ("b", "2-secret")), "method_and_arguments")

    session(path, "none", program(("b", "8-other"), ("a", "9-other")), "method_and_arguments")
    with pytest.raises((DivergenceError, UnusedEventsError)):
        session(path, "none", program(("b", "8-other"), ("c", "9")), "method_and_arguments")


def test_a_call_that_matches_nothing_is_compared_with_the_most_similar_one(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    session(path, "all", fetch(("a", {"x": 1}), ("b", {"x": 2})), "exact", order="lanes")
    with pytest.raises(DivergenceError) as caught:
        session(path, "none", fetch(("b", {"x": 3})), "exact", order="lanes")
    assert [each.path for each in caught.value.divergence.differences] == ["options.x"]
