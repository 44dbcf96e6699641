"""What HTTP says without a message becomes the message that says it."""

import json

import pytest

from vcr_gen.boundaries.mcp.event_stream import Event, EventBuffer
from vcr_gen.boundaries.mcp.http_exchanges import HttpSession, SecondSessionError
from vcr_gen.boundaries.mcp.tap_queue import Heard

EVENTS = {"content-type": "text/event-stream; charset=utf-8"}
JSON = {"content-type": "application/json"}
MODERN = {"mcp-protocol-version": "2026-07-28"}


@pytest.fixture
def told() -> list[Heard]:
    return []


@pytest.fixture
def session(told) -> HttpSession:
    return HttpSession(told.append)


def request(method: str = "add", number: int | str = 1) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method}).encode()


def event(identity: str, **frame: object) -> bytes:
    return f"id: {identity}\ndata: {json.dumps(frame)}\n\n".encode()


def said_by_server(told: list[Heard]) -> list[object]:
    return [frame for heard in told if not heard.by_client for frame in heard.frames]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_events_are_found_however_their_stream_is_cut(newline):
    lines = ["\ufeff: welcome", "", "id:7", "data: a", "data:  b", "", "event: x", "data", "", ""]
    stream = newline.join(lines).encode() + b"data: no end"
    expected = [Event("message", b"a\n b", "7"), Event("x", b"", "")]
    for cut in range(len(stream)):
        buffer = EventBuffer()
        found = [*buffer.events(stream[:cut]), *buffer.events(stream[cut:])]
        assert [each for each in found if each.data or each.kind == "x"] == expected


@pytest.mark.parametrize(
    ("status", "headers", "error"),
    [
        (404, {}, {"code": -32601, "message": "Not Found"}),
        (404, {"mcp-session-id": "s"}, {"code": -32600, "message": "Session terminated"}),
        (500, {}, {"code": -32603, "message": "Server returned an error response"}),
    ],
)
def test_a_refusal_is_an_error(session, told, status, headers, error):
    exchange = session.begin("POST", headers, request())
    exchange.answered(status, {"content-type": "text/plain"})
    exchange.heard(b"no")
    exchange.ended()
    assert said_by_server(told) == [{"jsonrpc": "2.0", "id": 1, "error": error}]


def test_an_error_without_a_number_is_the_answer(session, told):
    exchange = session.begin("POST", {}, request(number="a"))
    exchange.answered(400, JSON)
    exchange.heard(b'{"jsonrpc": "2.0", "id": null, "error": {"code": 5, "message": "no"}}')
    exchange.ended()
    error = {"code": 5, "message": "no"}
    assert said_by_server(told) == [{"jsonrpc": "2.0", "id": "a", "error": error}]


def test_a_stream_that_ends_without_an_answer_is_an_error(session, told):
    exchange = session.begin("POST", {}, request())
    exchange.answered(200, EVENTS)
    exchange.ended()
    error = {"code": -32000, "message": "SSE stream ended without a response"}
    assert said_by_server(told) == [{"jsonrpc": "2.0", "id": 1, "error": error}]


def test_a_stream_that_is_resumed_says_nothing_twice(session, told):
    log, answer = {"method": "log"}, {"id": 1, "result": {}}
    broken = session.begin("POST", {}, request())
    broken.answered(200, EVENTS)
    broken.heard(event("1", **log))
    broken.ended()
    resumed = session.begin("GET", {"last-event-id": "0"}, b"")
    resumed.answered(200, EVENTS)
    resumed.heard(event("1", **log) + event("2", **answer))
    assert said_by_server(told) == [log, answer]


@pytest.mark.parametrize(("headers", "cancels"), [(MODERN, True), ({}, False)])
def test_a_client_that_no_longer_listens_cancels_since_2026(session, told, headers, cancels):
    exchange = session.begin("POST", headers, request())
    exchange.answered(200, EVENTS)
    exchange.client_left()
    frames = [frame for heard in told[1:] for frame in heard.frames]
    assert [(each["method"], each["params"]) for each in frames] == (
        [("notifications/cancelled", {"requestId": 1})] if cancels else []
    )


def test_a_client_that_ends_its_session_leaves(session, told):
    session.begin("DELETE", {"mcp-session-id": "s"}, b"")
    assert told == [Heard(True, [], has_left=True)]


@pytest.mark.parametrize("by_client", [True, False])
def test_the_one_stream_of_2024_ends_with_who_closes_it(session, told, by_client):
    stream = session.begin("GET", {}, b"")
    stream.answered(200, EVENTS)
    stream.heard(b"event: endpoint\ndata: /messages\n\n")
    post = session.begin("POST", {}, request())
    post.answered(202, {})
    post.ended()
    (stream.client_left if by_client else stream.ended)()
    assert (told[-1].by_client, told[-1].has_left) == (by_client, True)
    assert said_by_server(told) == []
    with pytest.raises(SecondSessionError):
        session.begin("GET", {}, b"")


def test_an_older_server_is_initialized_after_it_was_discovered(session):
    refused = session.begin("POST", MODERN, request("server/discover"))
    refused.answered(400, JSON)
    refused.heard(b'{"id": 1, "error": {}}')
    refused.ended()
    session.begin("POST", MODERN, request("server/discover", 2))
    session.begin("POST", {}, request("initialize", 3))
    for method in ("server/discover", "initialize"):
        with pytest.raises(SecondSessionError):
            session.begin("POST", {}, request(method, 4))
