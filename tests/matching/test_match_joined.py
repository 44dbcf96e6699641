"""`Match(joined=…)`: mode `verify` compares all items of a stream at once."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from vcr_market import VcrMarket

from vcr_gen import Cassette, Rule
from vcr_gen.boundary import Match
from vcr_gen.errors import UsageError, VerificationError

KEY = "sk-" + "ant-api03-" + "kQ7x9Lm2Zp4R" * 7 + "AA"


class Prices:
    """Lists prices, cut as told; they may end with an exception."""

    def __init__(self, *pieces: str, error: Exception | None = None) -> None:
        self.pieces = pieces
        self.error = error

    def prices(self, day: str) -> Iterator[str]:
        yield from self.pieces
        if self.error is not None:
            raise self.error

    async def aprices(self, day: str) -> AsyncIterator[str]:
        for piece in self.pieces:
            yield piece


def listed(path: Path, mode: str, market: Any) -> None:
    with Cassette(path, mode) as cassette:
        wrapper = VcrMarket(cassette=cassette, inner=market)
        with suppress(ValueError):
            list(wrapper.prices("today"))


def test_other_cuts_pass(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    listed(path, "all", Prices("tee 4", ", mug 7"))
    listed(path, "verify", Prices("t", "ee 4, mug ", "", "7"))
    listed(path, "verify", Prices("tee 4, mug 7"))


def test_other_cuts_of_an_asynchronous_stream_pass(tmp_path: Path) -> None:
    async def talk(mode: str, market: Any) -> list[str]:
        with Cassette(tmp_path / "tape.yaml", mode) as cassette:
            wrapper = VcrMarket(cassette=cassette, inner=market)
            return [each async for each in wrapper.aprices("today")]

    asyncio.run(talk("all", Prices("tee 4", ", mug 7")))
    asyncio.run(talk("verify", Prices("tee 4, ", "mug", " 7")))


def test_a_secret_may_be_cut_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    listed(path, "all", Prices(f"key {KEY}\n", "tee 4\n"))
    listed(path, "verify", Prices(f"key {KEY[:20]}", f"{KEY[20:]}\ntee ", "4\n"))


def test_other_items_are_reported_by_field(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    listed(path, "all", Prices("tee 4", ", mug 7"))
    with pytest.raises(VerificationError) as raised:
        listed(path, "verify", Prices("tee 4, ", "mug 8"))
    [text] = raised.value.differences
    assert "Market.prices (call 1): yielded different items" in text
    assert "prices: value differs" in text
    assert "the real environment no longer behaves as recorded" in str(raised.value)


def test_another_end_is_still_reported(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    listed(path, "all", Prices("tee 4", ", mug 7"))
    with pytest.raises(VerificationError, match="broken"):
        listed(path, "verify", Prices("tee 4, mug 7", error=ValueError("broken")))


def test_a_replay_is_not_affected(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    listed(path, "all", Prices("tee 4", ", mug 7"))
    with Cassette(path, "none") as cassette:
        found = list(VcrMarket(cassette=cassette).prices("today"))
    assert found == ["tee 4", ", mug 7"]


def test_it_is_no_rule_and_takes_one_function() -> None:
    with pytest.raises(UsageError, match=r"a rule's `how` is Volatile, Echoed or Match\(same\)"):
        Rule("Market.prices", "$item", Match(joined="".join))
    two: Any = {"key": str, "joined": str}
    with pytest.raises(TypeError, match="one function"):
        Match(**two)
    assert repr(Match(joined=listed)) == "Match(joined=listed)"
    assert Match(joined=listed) != Match(key=listed)
