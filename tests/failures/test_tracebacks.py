"""What a traceback shows: the program, and nothing of ours."""

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from shop.real import RealBank, RealDatabase, RealFeed
from vcr_shop import VcrBank, VcrDatabase, VcrFeed

from vcr_gen import Cassette, DivergenceError
from vcr_gen.errors import EncodeError, UsageError


def files_and_lines(error: BaseException) -> list[tuple[str, str | None]]:
    frames = traceback.extract_tb(error.__traceback__)
    return [(Path(frame.filename).name, frame.line) for frame in frames]


def pay(bank: Any) -> None:
    bank.pay("ann", 10**9)


def read(feed: Any) -> None:
    list(feed.prices("tea"))


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the shop refuse payments, and forget its prices."""

    def refuse(_: RealBank, account: str, amount: int) -> str:
        raise LookupError(account)

    def forget(_: RealFeed, item: str) -> Iterator[int]:
        yield 10
        raise LookupError(item)

    monkeypatch.setattr(RealBank, "pay", refuse)
    monkeypatch.setattr(RealFeed, "prices", forget)


@pytest.mark.usefixtures("refusing")
@pytest.mark.parametrize(
    ("wrapper", "real", "program", "lines"),
    [
        (VcrBank, RealBank, pay, ['bank.pay("ann", 10**9)', "raise LookupError(account)"]),
        (VcrFeed, RealFeed, read, ['list(feed.prices("tea"))', "raise LookupError(item)"]),
    ],
)
def test_an_exception_of_the_environment_shows_no_frame_of_ours(
    wrapper: Any,
    real: Any,
    program: Callable[[Any], None],
    lines: list[str],
    tmp_path: Path,
) -> None:
    def fail() -> None:
        with Cassette(tmp_path / "t.yaml", "all") as cassette:
            program(wrapper.attach(cassette, real))

    with pytest.raises(LookupError) as caught:
        fail()
    assert [code for _, code in files_and_lines(caught.value)][-2:] == lines
    assert {name for name, _ in files_and_lines(caught.value)} == {"test_tracebacks.py"}

    with Cassette(tmp_path / "t.yaml", "all") as cassette, pytest.raises(LookupError):
        program(wrapper.attach(cassette, real))
    with pytest.raises(LookupError) as caught, Cassette(tmp_path / "t.yaml") as cassette:
        program(wrapper.attach(cassette, real))
    assert [code for _, code in files_and_lines(caught.value)][-1] == lines[0]
    assert {name for name, _ in files_and_lines(caught.value)} == {"test_tracebacks.py"}


@pytest.mark.parametrize(("name", "kind"), [("a", DivergenceError), (7, EncodeError)])
def test_a_failure_that_leaves_a_recorded_block_is_shown_where_it_was_raised(
    name: Any, kind: type[BaseException], tmp_path: Path
) -> None:
    def program(database: Any, *names: str) -> None:
        with database.transaction("t"):
            for each in names:
                database.connect(each)

    with Cassette(tmp_path / "t.yaml", "all") as cassette:
        program(VcrDatabase.attach(cassette, RealDatabase))
    with pytest.raises(kind) as caught, Cassette(tmp_path / "t.yaml") as cassette:
        program(VcrDatabase.attach(cassette, RealDatabase), name)

    shown = "".join(traceback.format_exception(caught.value))
    assert shown.count("Traceback") == 1
    assert files_and_lines(caught.value)[-1] == ("test_tracebacks.py", "database.connect(each)")


def test_a_wrong_option_is_shown_where_the_cassette_is_opened(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        Cassette(tmp_path / "t.yaml", pace=-1)

    assert {name for name, _ in files_and_lines(caught.value)} == {"test_tracebacks.py"}
