"""Requests in any order, and requests that differ from the recorded ones."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from tests.command_line import run_command
from tests.mcp_boundary.mcp_client_program import session
from tests.mcp_boundary.mcp_commands import SERVER, over_stdio, recording, serving
from tests.mcp_boundary.plain_client import client_of
from tests.mcp_boundary.test_mcp_commands import PLAIN

from vcr_gen import Cassette, Rule, Volatile
from vcr_gen.boundaries.mcp import mcp_matching, mcp_transport
from vcr_gen.errors import VerificationError

FREE = ("--strategy", "method_and_arguments")


@pytest.fixture(scope="module")
def tape(tmp_path_factory):
    """A session of the official SDK with every feature."""
    path = tmp_path_factory.mktemp("mcp") / "tape.yaml"

    async def record() -> None:
        with Cassette(path, "all") as cassette:
            await session(mcp_transport(cassette, SERVER), "legacy")

    anyio.run(record)
    return path


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Requests of a client without the SDK."""
    path = tmp_path_factory.mktemp("mcp") / "plain.yaml"
    with client_of(recording(path, *PLAIN)) as client:
        client.ask("echo", name="a", x=1)
        client.ask("whose")
        client.ask("echo", name="b", x=2)
        assert client.leave() == (0, "")
    return path


async def use(transport: Any, *calls: tuple[str, dict[str, Any]], listens: bool = True) -> Any:
    """What a client hears that calls tools, and has no ability but to log."""
    seen: list[object] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        seen.append(message)

    async def log(params: Any) -> None:
        seen.append(params.data)

    async with Client(transport, mode="legacy", logging_callback=log) as client:
        for tool, arguments in calls:
            try:
                result = await client.call_tool(
                    tool, arguments, progress_callback=progress if listens else None
                )
            except MCPError as error:
                seen.append(error.message.splitlines()[0])
            else:
                seen.append(result.content[0].text)
    return seen


async def in_process(tape: Path, *calls: Any, **options: Any) -> Any:
    with Cassette(tape, "none", **mcp_matching("method_and_arguments")) as cassette:
        return await use(mcp_transport(cassette, ()), *calls, **options)


def test_one_tool_of_many_brings_its_progress_and_its_log(tape):
    heard = anyio.run(in_process, tape, ("count", {"to": 2}), ("add", {"a": 1, "b": 2}))
    assert [said for said in heard if said.startswith("step")] == ["step 1", "step 2"]
    assert "at 1" in heard
    assert heard[-2:] == ["counted to 2", "3"]


def test_a_request_is_answered_again(tape):
    calls = [("fail", {}), ("count", {"to": 2}), ("count", {"to": 2}), ("fail", {})]
    heard = anyio.run(in_process, tape, *calls)
    assert heard.count("counted to 2") == 2
    assert heard.count(heard[0]) == 2


def test_a_client_need_not_listen_to_progress(tape):
    async def deaf() -> Any:
        return await in_process(tape, ("count", {"to": 2}), listens=False)

    assert anyio.run(deaf)[-1] == "counted to 2"


def test_unknown_requests_are_refused_one_by_one(tape):
    heard: list[Any] = []

    async def run() -> None:
        with Cassette(tape, "none", **mcp_matching("method_and_arguments")) as cassette:
            calls = [("count", {"to": 9}), ("add", {"a": 1, "b": 2}), ("add", {"a": 1, "b": 9})]
            heard.extend(await use(mcp_transport(cassette, ()), *calls))

    with pytest.raises(VerificationError, match="2 differences"):
        anyio.run(run)
    assert ["message.params.arguments.to" in heard[0], heard[1]] == [True, "3"]
    assert heard[2].startswith("vcr-gen: server tools/call add was called")


def test_a_client_is_not_asked_what_it_cannot_answer(tape):
    calls = [("ask", {"question": "why?"}), ("where", {}), ("add", {"a": 1, "b": 2})]
    assert anyio.run(in_process, tape, *calls) == ["because", "file:///work", "3"]


def test_an_answer_that_differs_is_reported_and_the_session_goes_on(plain):
    with client_of((*serving(plain), *FREE)) as client:
        client.say(id=1, method="whose")
        asked = client.hear()
        client.say(id=asked["id"], result={"roots": ["there"]})
        assert client.hear()["result"] == {"roots": ["here"]}
        assert client.ask("echo", **B)[-1]["result"] == {"said": B}
        code, complaints = client.leave()
    assert code == 1
    assert "client roots/list: the application returned a different value" in complaints


def test_a_client_may_leave_while_it_is_asked(tmp_path):
    path = tmp_path / "tape.yaml"
    with client_of(recording(path, *PLAIN)) as client:
        client.ask("greet")
        client.say(id=client.hear()["id"], result={"roots": ["here"]})
        assert client.leave() == (0, "")
    with client_of((*serving(path), *FREE)) as client:
        client.ask("greet")
        assert client.hear()["method"] == "roots/list"
        assert client.leave() == (0, "")


def test_a_refusal_names_the_nearest_recorded_request(plain):
    asked = {"echo b": ("echo", {"name": "b", "x": 9, "y": 9}), "other": ("other", {})}
    heard = {}
    with client_of((*serving(plain), *FREE)) as client:
        for name, (method, params) in asked.items():
            heard[name] = client.ask(method, **params)[-1]["error"]["message"]
        code, complaints = client.leave()
    words = "vcr-gen: server echo b was called with different arguments: message.params.x"
    assert heard["echo b"].startswith(words)
    words = "vcr-gen: server other was called, but the tape has no such call; the nearest is"
    assert heard["other"].startswith(words)
    assert "called at" not in heard["other"]
    assert code == 1
    assert "2 differences" in complaints


def test_a_session_in_another_order_is_told_how_it_would_be_answered(plain):
    with client_of(serving(plain)) as client:
        client.ask("echo", **B)
        code, complaints = client.leave()
    assert code == 1
    assert complaints.splitlines()[-1].startswith("hint: if a client need not repeat the recorded")


def test_rules_of_the_user_go_with_a_strategy(tape):
    rules = [Rule("server.request", "message.params.arguments.b", Volatile)]

    async def run() -> Any:
        options = mcp_matching("method_and_arguments")
        with Cassette(tape, "none", rules=rules, **options) as cassette:
            return await use(mcp_transport(cassette, ()), ("add", {"a": 1, "b": 9}))

    assert anyio.run(run) == ["3"]


def test_a_process_asks_for_samples_whatever_came_before(tape):
    async def ask() -> Any:
        return await session(over_stdio((*serving(tape), *FREE)), "legacy")

    assert ("asked", "why?") in anyio.run(ask)


A, B, C = ({"name": "a", "x": 1}, {"name": "b", "x": 2}, {"name": "c", "x": 3})
MORE = {"name": "a", "x": 1, "y": 2}


def test_a_process_reports_unknown_requests_at_its_end(plain):
    with client_of((*serving(plain), *FREE)) as client:
        assert client.ask("echo", name="b", x=2)[-1]["result"] == {"said": {"name": "b", "x": 2}}
        [refused] = client.ask("echo", name="c")
        assert "vcr-gen: server echo c was called" in refused["error"]["message"]
        assert client.ask("whose")[-1]["result"] == {"roots": ["here"]}
        assert client.ask("whose")[-1]["result"] == {"roots": ["here"]}
        code, complaints = client.leave()
    assert code == 1
    assert "message.params.name" in complaints


@pytest.mark.parametrize(
    ("strategies", "asked", "answered"),
    [
        (["method"], [C, None, C], [A, B]),
        (["echo=method"], [C, None, B], [A, B]),
        (["subset"], [MORE, None, B], [A, B]),
        (["echo:a=subset"], [MORE, None, B], [A, B]),
        (["sequential"], [None, C, C], [A, B]),
        (["echo=sequential"], [C, C, None], [A, B]),
        (["method_and_arguments", "echo=subset"], [B, MORE], [B, A]),
    ],
)
def test_a_strategy_says_what_must_agree(
    plain: Path, strategies: Sequence[str], asked: Sequence[Any], answered: Sequence[Any]
) -> None:
    options = [word for strategy in strategies for word in ("--strategy", strategy)]
    with client_of((*serving(plain), *options)) as client:
        heard = []
        for params in asked:
            if params is None:
                client.ask("whose")
            else:
                heard.append(client.ask("echo", **params)[-1]["result"]["said"])
        assert client.leave() == (0, "")
    assert heard == list(answered)


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        ("methods", "unknown strategy 'methods'; did you mean `method`?: expected one of exact,"),
        ("echo=sub", "unknown strategy 'sub'"),
        ("ecko=subset", "never said ecko; did you mean `echo`?"),
        ("echo:d=subset", "never said echo:d; did you mean `echo:"),
        ("ping=subset", "never said ping\n\nhint: it said echo, whose"),
        ("echo:none=subset", "hint: it said echo:a, echo:b\n"),
        ("=subset", "expected METHOD or METHOD:NAME"),
    ],
)
def test_a_strategy_that_means_nothing_is_refused(plain, strategy, words):
    run = run_command("mcp", "serve", str(plain), "--strategy", strategy, cwd=plain.parent)
    assert run.code == 2
    assert words in run.err
