"""Sessions of scripts that spoke like no client: without a handshake, or without waiting for it."""

from collections.abc import Sequence
from typing import Any, Final

from vcr_gen.boundaries.mcp.frames import Frame
from vcr_gen.boundaries.mcp.other_tools.imported_session import Passed

_BEGINNINGS: Final = ("initialize", "server/discover")
ASSUMED_VERSION: Final = "2025-06-18"
"""The version of the protocol, where a file does not know it."""
_OFFERS: Final = ("prompts", "resources", "tools")


def has_handshake(messages: Sequence[Passed]) -> bool:
    """Whether the client asked the server what it is."""
    return any(passed.frame.get("method") in _BEGINNINGS for passed in messages)


def made_up_handshake(
    messages: Sequence[Passed], version: str, server: dict[str, Any]
) -> list[Passed]:
    """The handshake of a session that has none, as its messages suggest."""
    used = {str(passed.frame.get("method")).partition("/")[0] for passed in messages}
    number = "vcr-gen: initialize"
    offered: dict[str, Any] = {name: {} for name in _OFFERS if name in used}
    request, answer = completed_handshake(
        {"id": number, "method": "initialize", "params": {"protocolVersion": version}},
        {"id": number, "result": {"capabilities": offered}},
        server,
    )
    said = ((request, True), (answer, False), ({"method": "notifications/initialized"}, True))
    return [Passed({"jsonrpc": "2.0", **frame}, by_client, 0.0) for frame, by_client in said]


def completed_handshake(
    request: Frame, answer: Frame, server: dict[str, Any]
) -> tuple[Frame, Frame]:
    """The request `initialize` and its answer, with all that the protocol demands of them."""
    offer = {"protocolVersion": ASSUMED_VERSION, "capabilities": {}, "clientInfo": _program({})}
    request = {**request, "params": {**offer, **request.get("params", {})}}
    if "result" in answer:
        version = request["params"]["protocolVersion"]
        needed = {"protocolVersion": version, "capabilities": {}, "serverInfo": _program(server)}
        answer = {**answer, "result": {**needed, **answer["result"]}}
    return request, answer


def _program(known: dict[str, Any]) -> dict[str, Any]:
    return {"name": "unknown", "version": "", **known}


def is_awaited(messages: Sequence[Passed]) -> bool:
    """Whether the client waited for the answer to `initialize`, as the protocol demands."""
    waiting_for = None
    for passed in messages:
        frame = passed.frame
        if passed.by_client and "method" in frame:
            if waiting_for is not None:
                return False
            if frame["method"] == "initialize":
                waiting_for = frame.get("id")
        elif not passed.by_client and frame.get("id") == waiting_for:
            waiting_for = None
    return True


def in_turn(messages: Sequence[Passed]) -> list[Passed]:
    """Each request of the client, followed by what belongs to it, up to its answer."""
    numbers = [each.frame["id"] for each in messages if _is_request(each)]
    if len(set(numbers)) < len(numbers):
        return list(messages)
    groups: dict[Any, list[Passed]] = {number: [] for number in numbers}
    answers = [
        (at, each.frame["id"])
        for at, each in enumerate(messages)
        if not each.by_client and "method" not in each.frame and each.frame["id"] in groups
    ]
    asked: dict[Any, Any] = {}
    first: list[Passed] = []
    for at, passed in enumerate(messages):
        frame = passed.frame
        if passed.by_client and "method" in frame and not _is_cancellation(passed, groups):
            first.append(passed)
            continue
        while len(answers) > 1 and answers[0][0] < at:
            del answers[0]
        owner = _owner(passed, groups, asked, answers[0][1] if answers else numbers[-1])
        groups[owner].append(passed)
        if "method" in frame and "id" in frame:
            asked[frame["id"]] = owner
    return [
        each
        for passed in first
        for each in (passed, *(groups[passed.frame["id"]] if _is_request(passed) else ()))
    ]


def _is_request(passed: Passed) -> bool:
    return passed.by_client and {"method", "id"} <= passed.frame.keys()


def _is_cancellation(passed: Passed, groups: dict[Any, list[Passed]]) -> bool:
    frame = passed.frame
    cancels = frame["method"] == "notifications/cancelled"
    return cancels and frame.get("params", {}).get("requestId") in groups


def _owner(
    passed: Passed, groups: dict[Any, list[Passed]], asked: dict[Any, Any], next_: Any
) -> Any:
    """The request to which a message belongs; `next_` is the one that is answered next."""
    frame = passed.frame
    params = frame.get("params", {})
    if "method" not in frame:
        number = frame["id"]
        return (
            asked.get(number, next_) if passed.by_client else number if number in groups else next_
        )
    named = params.get("requestId" if passed.by_client else "progressToken")
    return named if named in groups else next_
