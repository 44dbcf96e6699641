"""`vcr-gen mcp diff`: what changed between two versions of a server."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from tests.command_line import run_command
from tests.mcp_boundary.mcp_commands import over_stdio, recording
from tests.mcp_boundary.written_sessions import call, greeting, listing, tool, write_session

SERVER = (sys.executable, str(Path(__file__).with_name("versioned_server.py")))
Changes = list[tuple[str, ...]]


async def use(cassette: Path, version: str) -> None:
    async with Client(over_stdio(recording(cassette, *SERVER, version)), mode="legacy") as client:
        await client.list_tools()
        await client.list_prompts()
        await client.list_resources()
        await client.list_resource_templates()
        if version == "old":
            await client.call_tool("search", {"query": "bikes", "limit": 2})
            await client.call_tool("stock", {"article": "bike"})
            await client.get_prompt("offer", {"article": "bike"})


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("versions")

    async def record() -> None:
        async with anyio.create_task_group() as tasks:
            for version in ("old", "new"):
                tasks.start_soon(use, folder / f"{version}.yaml", version)

    anyio.run(record)
    return folder


def line_of(path: Path, text: str) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.strip(" -") for line in lines].index(text) + 1


def test_the_changes_of_a_real_server(versions):
    run = run_command("mcp", "diff", "old.yaml", "new.yaml", cwd=versions)
    before, after = versions / "old.yaml", versions / "new.yaml"
    places = f"old.yaml:{line_of(before, 'name: search')}"
    other = f"new.yaml:{line_of(after, 'name: search')}"

    assert run.code == 1
    assert (
        f"breaking: tool search: inputSchema.properties.shop: added, required\n"
        f"    {places} → {other}\n" in run.out
    )
    for line in (
        "breaking: tool order: removed; it may be order_article now",
        "breaking: tool stock: outputSchema.properties.left: "
        "type integer became integer or null",
        "compatible: tool stock: inputSchema.properties.shop: added, optional",
        "note: tool stock: description: "
        '"How many are left." became "How many are left, in a shop."',
        "compatible: tool order_article: added",
        "breaking: prompt offer: arguments.properties.discount: is required now",
        "breaking: resource template shop://{article}/picture: removed",
        "breaking: request tools/call search: "
        "would be refused: arguments: 'shop' is a required property",
        "breaking: request prompts/get offer: "
        "would be refused: arguments: 'discount' is a required property",
    ):
        assert line in run.out
    assert "3 recorded requests checked" in run.err


def test_a_server_does_not_differ_from_itself(versions):
    run = run_command("mcp", "diff", "old.yaml", "old.yaml", cwd=versions)

    assert (run.code, run.out) == (0, "")
    assert run.err == "no differences; 3 recorded requests checked\n"


def test_the_document_has_levels_places_and_values(versions):
    arguments = ("mcp", "diff", "old.yaml", "new.yaml", "--output-format", "json")
    run = run_command(*arguments, "--fail-on-breaking", cwd=versions)
    document = json.loads(run.out)
    [removed] = [each for each in document["changes"] if each.get("renamed_to")]

    assert (run.code, document["status"], document["checked_requests"]) == (1, "different", 3)
    assert document["breaking"] == sum(each["level"] == "breaking" for each in document["changes"])
    assert removed["name"] == "order"
    assert removed["before"]["description"] == "Order an article."
    assert removed["before_line"] == line_of(versions / "old.yaml", "name: order")


def test_annotations_for_github(versions):
    arguments = ("mcp", "diff", "old.yaml", "new.yaml", "--output-format", "github")
    run = run_command(*arguments, cwd=versions)
    line = line_of(versions / "new.yaml", "name: search")

    assert f"::error file=new.yaml,line={line},title=breaking::tool search" in run.out
    assert "note" not in run.out


@pytest.fixture
def diff(tmp_path: Path) -> Callable[..., Changes]:
    """Compare two sessions that are written."""

    def compare(before: list[Any], after: list[Any]) -> Changes:
        write_session(tmp_path / "before.jsonl", *before)
        write_session(tmp_path / "after.jsonl", *after)
        arguments = ("mcp", "diff", "before.jsonl", "after.jsonl", "--output-format", "json")
        run = run_command(*arguments, cwd=tmp_path)
        changes = json.loads(run.out)["changes"]
        assert run.code == bool(changes)
        keys = ("level", "kind", "name", "field", "message")
        return [tuple(change[key] for key in keys) for change in changes]

    return compare


def test_all_pages_of_the_last_listing_count(diff):
    before = [listing(tool("a"), tool("b"))]
    after = [
        listing(tool("a")),
        listing(tool("b"), more="2"),
        listing(tool("a"), cursor="2"),
        listing(tool("c"), more="3"),
    ]

    assert diff(before, after) == []


def test_what_is_not_listed_cannot_be_compared(diff):
    later = [greeting(tools={})]

    [change] = diff([greeting(tools={}), listing(tool("a"))], later)
    assert change[0] == "review"
    assert "does not list them" in change[4]
    [change] = diff([listing(tool("a"))], [listing(tool("a"), more="2")])
    assert "lists only some of them" in change[4]


def test_a_listing_that_is_refused_lists_nothing(diff):
    before, after = [listing(tool("a"))], [("tools/list", {}, None)]

    assert diff(before, after) == [("breaking", "tool", "a", "", "removed")]


def test_capabilities(diff):
    before = greeting(tools={"listChanged": True}, resources={"subscribe": True}, logging={})
    after = greeting(tools={}, resources={"subscribe": False}, completions={})

    assert diff([before], [after]) == [
        ("breaking", "server", "", "capabilities.logging", "removed"),
        ("breaking", "server", "", "capabilities.resources.subscribe", "removed"),
        ("review", "server", "", "capabilities.tools.listChanged", "removed"),
        ("compatible", "server", "", "capabilities.completions", "added"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "level", "field"),
    [
        ({"outputSchema": {}}, {}, "breaking", "outputSchema"),
        ({}, {"outputSchema": {}}, "compatible", "outputSchema"),
        ({}, {"execution": {"taskSupport": "required"}}, "breaking", "execution.taskSupport"),
        ({}, {"execution": {"taskSupport": "optional"}}, "compatible", "execution.taskSupport"),
        ({"title": "A"}, {"title": "B"}, "note", "title"),
        ({}, {"annotations": {"readOnlyHint": True}}, "review", "annotations.readOnlyHint"),
        (
            {"annotations": {"destructiveHint": True}},
            {"annotations": {"destructiveHint": False}},
            "review",
            "annotations.destructiveHint",
        ),
        (
            {"annotations": {"destructiveHint": True}},
            {"annotations": {}},
            "note",
            "annotations.destructiveHint",
        ),
        ({}, {"annotations": {"title": "A"}}, "note", "annotations.title"),
    ],
)
def test_the_fields_of_a_tool(diff, before, after, level, field):
    [change] = diff([listing(tool("a", **before))], [listing(tool("a", **after))])

    assert (change[0], change[3]) == (level, field)


def test_malformed_fields_of_a_tool_are_no_crash(diff):
    union = {"type": "object", "properties": {"x": {"anyOf": 5}}}
    before = listing(
        tool("a", inputSchema=None),
        tool("b", inputSchema=union),
        tool("c", annotations=5, execution=5),
    )
    text = {"type": "object", "properties": {"x": {"type": "string"}}}
    after = listing(tool("a"), tool("b", inputSchema=text), tool("c"))

    assert [change[:4] for change in diff([before, call("a", x=1)], [after])] == [
        ("review", "tool", "a", "inputSchema"),
        ("review", "tool", "b", "inputSchema.properties.x"),
    ]


def test_resources_are_known_by_their_uris(diff):
    def listed(**fields: Any) -> Any:
        return "resources/list", {}, {"resources": [{"uri": "a://b", "name": "b", **fields}]}

    changes = diff([listed(mimeType="text/plain")], [listed(mimeType="text/html", name="c")])

    assert [change[:4] for change in changes] == [
        ("review", "resource", "a://b", "mimeType"),
        ("note", "resource", "a://b", "name"),
    ]


NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
SMALL = {**NUMBER, "properties": {"n": {"type": "integer", "maximum": 5}}}


def requests(changes: Changes) -> Changes:
    return [(change[0], change[4]) for change in changes if change[1] == "request"]


def test_a_recorded_request_that_would_be_refused(diff):
    before = [listing(tool("a", inputSchema=NUMBER)), call("a", n=9), call("a", n=3)]
    after = [listing(tool("a", inputSchema=SMALL))]

    assert requests(diff(before, after)) == [
        ("breaking", "would be refused: arguments.n: 9 is greater than the maximum of 5")
    ]


def test_a_recorded_request_that_no_version_describes(diff):
    before = [listing(tool("a", inputSchema=NUMBER)), call("a", n="9")]

    [(level, message)] = requests(diff(before, [listing(tool("a", inputSchema=SMALL))]))

    assert level == "review"
    assert "either version" in message


def test_a_recorded_request_of_a_tool_that_is_gone(diff):
    before = [listing(tool("a")), call("a")]

    assert ("breaking", "would be refused: there is no tool a") in requests(
        diff(before, [listing(tool("b"))])
    )


def test_a_request_that_failed_is_not_checked(diff):
    failed = ("tools/call", {"name": "b"}, {"content": [], "isError": True})

    assert diff([listing(tool("a")), failed], [listing(tool("a"))]) == []


def test_a_recorded_result_that_the_new_schema_does_not_have(diff):
    before = [listing(tool("a", outputSchema=NUMBER)), call("a", {"n": 9})]
    after = [listing(tool("a", outputSchema=SMALL))]

    assert requests(diff(before, after)) == [
        (
            "review",
            "the recorded result does not match the new schema: "
            "structuredContent.n: 9 is greater than the maximum of 5",
        )
    ]


def test_a_redacted_request_cannot_be_checked(diff):
    key = "sk-ant-api03-" + "a1B2" * 20
    schema = {"type": "object", "properties": {"key": {"type": "string"}}}
    short = {"type": "object", "properties": {"key": {"type": "string", "maxLength": 5}}}
    before = [listing(tool("a", inputSchema=schema)), call("a", key=key)]

    [(level, message)] = requests(diff(before, [listing(tool("a", inputSchema=short))]))

    assert level == "review"
    assert "redacted" in message


def test_only_breaking_changes_fail_if_asked(tmp_path):
    write_session(tmp_path / "old.yaml", listing(tool("a", "Old.")))
    write_session(tmp_path / "new.yaml", listing(tool("a", "New."), tool("b")))
    arguments = ("mcp", "diff", "old.yaml", "new.yaml")

    assert run_command(*arguments, cwd=tmp_path).code == 1
    assert run_command(*arguments, "--fail-on-breaking", cwd=tmp_path).code == 0


def test_each_server_of_a_cassette_is_compared_with_itself(tmp_path):
    shop, bank = [listing(tool("buy"))], [listing(tool("pay"))]
    write_session(tmp_path / "old.yaml", shop=shop, bank=bank)
    write_session(tmp_path / "new.yaml", bank=shop, shop=shop)
    run = run_command("mcp", "diff", "old.yaml", "new.yaml", cwd=tmp_path)
    assert [line for line in run.out.splitlines() if not line.startswith(" ")] == [
        "breaking: bank: tool pay: removed",
        "compatible: bank: tool buy: added",
    ]

    write_session(tmp_path / "new.yaml", shop=shop)
    run = run_command("mcp", "diff", "old.yaml", "new.yaml", cwd=tmp_path)
    assert (run.code, run.err) == (2, "old.yaml: the server bank is not in new.yaml\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\n", "other.yaml:1: not a cassette"),
        (None, "other.yaml: no such cassette"),
    ],
)
def test_a_file_that_is_no_cassette(tmp_path, text, message):
    write_session(tmp_path / "new.yaml", listing(tool("a")))
    if text is not None:
        (tmp_path / "other.yaml").write_text(text, encoding="utf-8")
    run = run_command("mcp", "diff", "other.yaml", "new.yaml", cwd=tmp_path)

    assert (run.code, run.out) == (2, "")
    assert run.err.startswith(message)


def test_a_cassette_without_a_session(tmp_path):
    write_session(tmp_path / "empty.yaml")
    run = run_command("mcp", "diff", "empty.yaml", "empty.yaml", cwd=tmp_path)

    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("empty.yaml: the cassette has no session with an MCP server")
