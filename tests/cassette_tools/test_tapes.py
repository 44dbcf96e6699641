"""Cassettes read and written as data, without the programs that they are of."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from wrapping import wrap_package

from vcr_gen import Cassette, Redaction, Tape, TapeWriter
from vcr_gen.errors import UsageError

_WRAPPERS = wrap_package(Path(__file__).parents[1] / "runtime" / "sample")


@pytest.fixture(params=["yaml", "jsonl"])
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return tmp_path / f"tape.{request.param}"


def result(text: str) -> dict[str, Any]:
    return {"code": 0, "text": text}


def test_a_written_tape_replays(path: Path) -> None:
    from vcr_sample import VcrFeed, VcrShell

    with TapeWriter(path, VcrShell, VcrFeed) as tape:
        tape.call("Shell.read", {"what": 1}, value=2)
        tape.call("Feed.lines", {"name": "x"}, items=["a", "b"], took=0.5)
        tape.call("Shell.read", {"what": 3}, value=4)
    with Cassette(path, "none") as cassette:
        shell, feed = VcrShell(cassette=cassette), VcrFeed(cassette=cassette)
        assert shell.read(1) == 2
        assert list(feed.lines("x")) == ["a", "b"]
        assert shell.read(3) == 4
    with Tape(path) as tape:
        assert tape.header["vcr-gen"] == 1
        calls = list(tape.calls())
    assert [(call.boundary, call.method, call.status, call.took) for call in calls] == [
        ("Shell", "read", "returned", 0.0),
        ("Feed", "lines", "returned", 0.5),
        ("Shell", "read", "returned", 0.0),
    ]
    assert calls[1].items == ["a", "b"]
    assert (calls[0].arguments, calls[0].value) == ({"what": 1}, 2)


def test_calls_that_overlap_are_of_different_strands(path: Path) -> None:
    from vcr_sample import VcrShell

    arguments = [{"name": name, "delay": 0.0} for name in "ab"]
    with Cassette(path, "all") as cassette:
        stored = asyncio.run(_stored_result(VcrShell, cassette, path))
    with TapeWriter(path, VcrShell) as tape:
        tape.call("Shell.arun", arguments[0], value=stored, at=0.0, took=2.0)
        tape.call("Shell.arun", arguments[1], value=stored, at=0.5, took=0.5)

    async def program() -> list[str]:
        done: list[str] = []
        with Cassette(path, "none") as cassette:
            shell = VcrShell(cassette=cassette)

            async def run(name: str) -> None:
                await shell.arun(name)
                done.append(name)

            await asyncio.gather(run("a"), run("b"))
        return done

    assert asyncio.run(program()) == ["b", "a"]


async def _stored_result(wrapper: Any, cassette: Cassette, path: Path) -> Any:
    from sample.bridges import RealShell

    await wrapper(cassette=cassette, inner=RealShell()).arun("a")
    cassette.close()
    with Tape(path) as tape:
        return next(tape.calls()).value


def test_an_unknown_method_or_parameter_is_refused_and_nothing_is_written(path: Path) -> None:
    from vcr_sample import VcrShell

    for name, arguments in (("Shell.odd", {}), ("Shell.read", {"odd": 1})):
        with pytest.raises(UsageError, match="odd"), TapeWriter(path, VcrShell) as tape:
            tape.call(name, arguments)
    assert list(path.parent.iterdir()) == []


def test_secrets_are_not_written(path: Path) -> None:
    from vcr_sample import VcrShell

    fields = Redaction(fields={"Shell.login": ["token", "$result"]})
    with TapeWriter(path, VcrShell, redaction=fields) as tape:
        tape.call("Shell.login", {"user": "ann", "token": "correct-horse"}, value="battery-staple")
        tape.call("Shell.tell", {"text": "Authorization: Bearer abcdefghijklmnop"})
    text = path.read_text(encoding="utf-8")
    assert "ann" in text
    assert "correct-horse" not in text
    assert "battery-staple" not in text
    assert "abcdefghijklmnop" not in text
