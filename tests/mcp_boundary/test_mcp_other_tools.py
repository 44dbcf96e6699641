"""Recordings of agent-vcr and mcp-cassette become cassettes that the official client can use."""

import json
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client, MCPError
from tests.command_line import Run, run_command
from tests.mcp_boundary.foreign_sessions import (
    HANDSHAKE,
    agent_vcr_recording,
    mcp_cassette_recording,
    recording_with_samples,
    recording_without_handshake,
    scripted_recording,
)
from tests.mcp_boundary.mcp_commands import over_stdio, serving

from vcr_gen import Cassette, Tape
from vcr_gen.boundaries.mcp import mcp_transport
from vcr_gen.runtime.record import tape_writer


def convert(folder: Path, document: Any, tool: str, *options: str) -> Run:
    """Convert a file of another tool to `session.yaml`."""
    folder.joinpath("session.json").write_text(json.dumps(document))
    command = ("cassette", "convert", "session.json", "session.yaml", "--from", tool, *options)
    return run_command(*command, cwd=folder)


class Agent:
    """A client of the official SDK, and what it sees."""

    def __init__(self) -> None:
        self.seen: list[object] = []

    def run(self, cassette: Path) -> list[object]:
        anyio.run(self._session, cassette)
        return self.seen

    async def _session(self, cassette: Path) -> None:
        async with Client(
            over_stdio(serving(cassette)),
            mode="legacy",
            sampling_callback=self._sample,
            elicitation_callback=self._elicit,
            logging_callback=self._log,
        ) as client:
            self.seen.append([tool.name for tool in (await client.list_tools()).tools])
            async with anyio.create_task_group() as tasks:
                for query in ("bikes", "cars"):
                    tasks.start_soon(self._search, client, query)
            await self._search(client, "trams")

    async def _search(self, client: Client, query: str) -> None:
        async def progress(done: float, total: float | None, message: str | None) -> None:
            self.seen.append((query, done, total))

        try:
            arguments = {"query": query}
            found = await client.call_tool("search", arguments, progress_callback=progress)
            self.seen.append(found.content[0].text)
        except MCPError as error:
            self.seen.append((query, error.code, error.message.partition(":")[0], error.data))

    async def _log(self, params: Any) -> None:
        self.seen.append(params.data)

    async def _sample(self, context: Any, params: Any) -> types.CreateMessageResult:
        self.seen.append(("asked", params.messages[0].content.text))
        content = types.TextContent(type="text", text="in Bonn?")
        return types.CreateMessageResult(role="assistant", content=content, model="m")

    async def _elicit(self, context: Any, params: Any) -> types.ElicitResult:
        self.seen.append(("asked", params.message))
        return types.ElicitResult(action="accept", content={"city": "Bonn"})


def test_a_recording_of_agent_vcr_is_served(tmp_path):
    done = convert(tmp_path, agent_vcr_recording(), "agent-vcr")
    assert (done.code, done.out) == (0, "wrote session.yaml: 5 requests from agent-vcr\n")
    assert "assumed: notifications/initialized" in done.err
    assert Agent().run(tmp_path / "session.yaml") == [
        ["search"],
        ("bikes", 1.0, 2.0),
        "searching",
        "cars in Bonn",
        "bikes in Bonn",
        ("trams", -32602, "no such index", {"index": "Rome"}),
    ]


def test_a_recording_of_mcp_cassette_is_served_with_what_its_server_asked(tmp_path):
    done = convert(tmp_path, mcp_cassette_recording(), "mcp-cassette")
    assert (done.code, done.out) == (0, "wrote session.yaml: 6 requests from mcp-cassette\n")
    assert "skipped messages[7]: no message of JSON-RPC" in done.err
    assert "assumed: maxTokens of sampling/createMessage is 1000" in done.err
    assert Agent().run(tmp_path / "session.yaml") == [
        ["search"],
        ("bikes", 1.0, 2.0),
        ("cars", 1.0, 5.0),
        ("bikes", 2.0, 2.0),
        ("asked", "where?"),
        ("asked", "which city?"),
        "bikes in Bonn",
        ("cars", 7, "no cars", [1, None]),
        ("trams", -32603, "vcr-gen", None),  # nothing was recorded for it
    ]


@pytest.mark.parametrize("era", ["legacy", "auto"])
@pytest.mark.parametrize(
    ("document", "assumed", "asked"),
    [
        (scripted_recording(), "the client waits for each answer", ["where?"]),
        (recording_without_handshake(), "the handshake; the file has none", []),
    ],
    ids=["scripted", "without handshake"],
)
def test_a_client_that_waits_replays_a_script(tmp_path, document, assumed, asked, era):
    done = convert(tmp_path, document, "mcp-cassette")
    assert f"assumed: {assumed}" in done.err
    seen: list[object] = []

    async def sample(context: Any, params: Any) -> types.CreateMessageResult:
        seen.append(params.messages[0].content.text)
        content = types.TextContent(type="text", text="in Bonn?")
        return types.CreateMessageResult(role="assistant", content=content, model="m")

    async def session(cassette: Cassette) -> None:
        server = mcp_transport(cassette, "http://not.there")
        async with Client(server, mode=era, sampling_callback=sample) as client:
            assert client.server_info.name == "search"
            for query in ("bikes", "cars"):  # the client asks for the tools, which nobody recorded
                found = await client.call_tool("search", {"query": query})
                seen.append(found.content[0].text)

    with Cassette(tmp_path / "session.yaml", "none") as cassette:
        anyio.run(session, cassette)
    assert seen == [*asked, "bikes in Bonn", "cars in Bonn"]


SAMPLING_SERVER = f"""
import json, sys

def say(**frame):
    print(json.dumps({{"jsonrpc": "2.0", **frame}}), flush=True)

for line in sys.stdin:
    frame = json.loads(line)
    if frame["method"] == "initialize":
        say(id=frame["id"], result={HANDSHAKE})
        continue
    for number in range(2):
        content = {{"type": "text", "text": "where?"}}
        params = {{"messages": [{{"role": "user", "content": content}}], "maxTokens": 10}}
        say(id=number, method="sampling/createMessage", params=params)
        sys.stdin.readline()
    say(id=frame["id"], result={{}})
"""


def test_an_assumed_number_is_said_once_and_not_compared(tmp_path):
    done = convert(tmp_path, recording_with_samples(), "mcp-cassette")
    assert done.err.count("assumed: maxTokens") == 1
    (tmp_path / "server.py").write_text(SAMPLING_SERVER, encoding="utf-8")
    run = run_command(
        "mcp", "drive", "session.yaml", "--", sys.executable, "server.py", cwd=tmp_path
    )
    assert (run.code, run.out) == (0, "")


def test_a_handshake_gets_what_the_file_leaves_out(tmp_path):
    document = agent_vcr_recording()
    document["metadata"]["server_info"] = {"name": "by hand"}
    document["session"]["initialize_request"]["params"] = {}
    document["session"]["initialize_response"]["result"] = {"capabilities": {}}
    del document["session"]["interactions"][1:]
    convert(tmp_path, document, "agent-vcr")

    async def session(cassette: Cassette) -> None:
        async with Client(mcp_transport(cassette, "http://not.there"), mode="legacy") as client:
            assert client.server_info.name == "by hand"
            assert [tool.name for tool in (await client.list_tools()).tools] == ["search"]

    with Cassette(tmp_path / "session.yaml", "none") as cassette:
        anyio.run(session, cassette)


def test_times_and_order_are_those_of_the_recording(tmp_path, monkeypatch):
    monkeypatch.setattr(tape_writer, "_CLOSE", -1.0)  # as on a machine that is busy
    convert(tmp_path, agent_vcr_recording(), "agent-vcr")
    with Tape(tmp_path / "session.yaml") as tape:
        assert tape.header["imported"] == {
            "from": "agent-vcr",
            "order": "recorded",
            "unasked": ["server/discover"],
        }
        assert str(tape.header["recorded_at"]).startswith("2026-11-18T10:00:00")
        calls = [call for call in tape.calls() if call.name.startswith("server tools/")]
    words = [
        call.words.removeprefix("server.request(").partition(", progress")[0] for call in calls
    ]
    assert words == [
        "tools/list",
        'tools/call search {"query": "cars"}',
        'tools/call search {"query": "bikes"}',
        'tools/call search {"query": "trams"}',
    ]
    assert [call.at for call in calls] == [1.25, 2.75, 2.75, 3.75]
    assert [call.took for call in calls] == [0.25, 0.25, 0.5, 0.25]


def test_an_exported_recording_holds_what_was_imported(tmp_path):
    recording = agent_vcr_recording()
    convert(tmp_path, recording, "agent-vcr")
    done = run_command("cassette", "convert", "session.yaml", "--to", "agent-vcr", cwd=tmp_path)
    assert (done.code, done.out) == (0, "wrote session.vcr: 5 requests for agent-vcr\n"), done.err
    exported = json.loads((tmp_path / "session.vcr").read_text())
    assert exported["format_version"] == recording["format_version"]
    assert exported["metadata"]["server_info"] == {"name": "search", "version": "1"}
    session, before = exported["session"], recording["session"]
    assert session["initialize_request"] == before["initialize_request"]
    assert session["capabilities"] == before["capabilities"]
    assert [_said(each) for each in session["interactions"]] == [
        _said(each) for each in before["interactions"]
    ]


def _said(interaction: dict[str, Any]) -> object:
    """An interaction without what is null, and its time without a zone."""
    without_nulls = json.loads(json.dumps(interaction), object_hook=_without_nulls)
    without_nulls.pop("direction")
    without_nulls.pop("latency_ms")
    without_nulls["timestamp"] = without_nulls["timestamp"].partition(".")[0].partition("+")[0]
    return without_nulls


def _without_nulls(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if value is not None}


def test_what_agent_vcr_cannot_hold_is_named(tmp_path):
    convert(tmp_path, mcp_cassette_recording(), "mcp-cassette")
    done = run_command("cassette", "convert", "session.yaml", "--to", "agent-vcr", cwd=tmp_path)
    assert done.code == 0
    assert "skipped client sampling/createMessage, line " in done.err
    assert "skipped server tools/call search: the data of its error is no object" in done.err


WRONG = {
    "no session": ("agent-vcr", [], "expected a recording of agent-vcr"),
    "no method": ("agent-vcr", ["session", "interactions", 0, "request", "method"], "method: exp"),
    "params": ("agent-vcr", ["session", "interactions", 1, "request", "params"], "params: expec"),
    "time": ("agent-vcr", ["session", "interactions", 1, "timestamp"], "timestamp: expected a tim"),
    "no messages": ("mcp-cassette", ["messages"], "with a list of `messages`"),
    "sender": ("mcp-cassette", ["messages", 3, "sender"], "messages[3].sender: expected client or"),
    "number": ("mcp-cassette", ["messages", 3, "payload", "id"], "payload.id: expected a number"),
    "error": ("mcp-cassette", ["messages", 16, "payload", "error"], "error: expected a mapping"),
    "version": ("mcp-cassette", ["format_version"], "format_version: expected a number"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_value_is_refused_with_its_place(tmp_path, name):
    tool, path, message = WRONG[name]
    document: Any = agent_vcr_recording() if tool == "agent-vcr" else mcp_cassette_recording()
    place = document
    for step in path[:-1]:
        place = place[step]
    if path:
        place[path[-1]] = [1] if path[-1] == "id" else "wrong" if path[-1] != "method" else 7
    done = convert(tmp_path, document if path else {"session": None}, tool)
    assert done.code == 2
    assert done.err.startswith("session.json: ")
    assert message in done.err


def test_wrong_usage_is_explained(tmp_path):
    done = convert(tmp_path, agent_vcr_recording(), "agent-vcr", "--loose")
    assert (done.code, done.err) == (2, "--loose is for HTTP: --from vcrpy, --from har\n")
    document = mcp_cassette_recording()
    document["messages"][0]["payload"]["method"] = "server/discover"
    assert convert(tmp_path, document, "mcp-cassette").code == 0
    done = run_command("cassette", "convert", "session.yaml", "--to", "agent-vcr", cwd=tmp_path)
    assert done.code == 2
    assert "agent-vcr needs a session that begins with `initialize`" in done.err
    tape = tmp_path / "session.yaml"
    tape.write_text(
        tape.read_text().replace("of: server.request", 'of: server.request\n  "on": a', 1)
    )
    done = run_command("cassette", "convert", "session.yaml", "--to", "agent-vcr", cwd=tmp_path)
    assert done.code == 2
    assert "agent-vcr stores sessions with one server; this one has several" in done.err
