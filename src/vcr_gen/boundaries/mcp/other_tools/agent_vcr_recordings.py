"""Reads recordings of agent-vcr: `.vcr` files.

A file has the handshake, and the other requests of the client in the order of their answers, each
with what the server said since the answer before. The client's notifications are not in it.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from vcr_gen.boundaries.foreign_documents import Document, read_json
from vcr_gen.boundaries.mcp.frames import Frame
from vcr_gen.boundaries.mcp.other_tools.foreign_frames import answer_in, notification_in, request_in
from vcr_gen.boundaries.mcp.other_tools.imported_session import ImportedSession, Passed
from vcr_gen.boundaries.mcp.other_tools.scripted_clients import completed_handshake

_INITIALIZED: Final[Frame] = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def read_agent_vcr(path: Path) -> ImportedSession:
    """Read a recording."""
    document = read_json(path)
    if "session" not in document or "initialize_request" not in document["session"]:
        raise document.wrong("a recording of agent-vcr, with `session.initialize_request`")
    session = document["session"]
    recorded_at = document["metadata"]["recorded_at"]
    began = None if recorded_at.value is None else _time(recorded_at)
    unanswered = [each.name for each in _interactions(session) if "response" not in each]
    return ImportedSession(
        tool="agent-vcr",
        messages=[*_handshake(document), *_exchanges(session, began)],
        recorded_at=None if began is None else began.astimezone(),
        remarks=[
            *(f"{name}: it has no response, and gets none in a replay" for name in unanswered),
            "assumed: notifications/initialized; the file has no notifications of the client",
        ],
    )


def _handshake(document: Document) -> Iterator[Passed]:
    """The handshake; what hand-written files leave out of it is added."""
    session, server = document["session"], document["metadata"]["server_info"].value
    request = request_in(session["initialize_request"])
    answer = answer_in(session["initialize_response"], request["id"])
    request, answer = completed_handshake(
        request, answer, server if isinstance(server, dict) else {}
    )
    yield Passed(request, by_client=True, at=0.0)
    yield Passed(answer, by_client=False, at=0.0)
    yield Passed(_INITIALIZED, by_client=True, at=0.0)


def _interactions(session: Document) -> Sequence[Document]:
    found = session["interactions"]
    return [] if found.value is None else found.entries()


def _exchanges(session: Document, began: datetime | None) -> Iterator[Passed]:
    """The requests in the order of their numbers, each before its answer."""
    interactions = _interactions(session)
    requests = [request_in(each["request"]) for each in interactions]
    order = _order_of_numbers([request["id"] for request in requests])
    made: set[int] = set()
    waiting = iter(order)
    now = 0.0
    for place, interaction in enumerate(interactions):
        latency = _seconds(interaction["latency_ms"]) / 1000
        now = max(now, _since(interaction["timestamp"], began) - latency)
        while place not in made:
            made.add(next_one := next(waiting))
            yield Passed(requests[next_one], by_client=True, at=now)
        now += latency
        for said in _said_by_server(interaction):
            yield Passed(said, by_client=False, at=now)
        if "response" in interaction:
            answer = answer_in(interaction["response"], requests[place]["id"])
            yield Passed(answer, by_client=False, at=now)


def _said_by_server(interaction: Document) -> Iterator[Frame]:
    found = interaction["notifications"]
    for notification in [] if found.value is None else found.entries():
        yield notification_in(notification)


def _order_of_numbers(numbers: Sequence[int | str]) -> list[int]:
    """The places of requests in the order in which the client, which counts them, made them."""
    places = range(len(numbers))
    if len(set(numbers)) < len(numbers) or not all(isinstance(each, int) for each in numbers):
        return list(places)
    return sorted(places, key=numbers.__getitem__)


def _time(found: Document) -> datetime:
    try:
        return datetime.fromisoformat(found.text())
    except ValueError:
        raise found.wrong("a time, such as 2026-11-18T10:00:00") from None


def _since(found: Document, began: datetime | None) -> float:
    """Seconds between two times; 0 if they are not known in the same way."""
    if found.value is None or began is None:
        return 0.0
    at = _time(found)
    if (at.tzinfo is None) != (began.tzinfo is None):
        return 0.0
    return max(0.0, (at - began).total_seconds())


def _seconds(found: Document) -> float:
    if found.value is None:
        return 0.0
    if isinstance(found.value, bool) or not isinstance(found.value, int | float):
        raise found.wrong("a number")
    return max(0.0, float(found.value))
