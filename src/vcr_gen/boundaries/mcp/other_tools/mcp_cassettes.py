"""Reads cassettes of mcp-cassette: JSON files with every message of a session.

Its redaction replaces whatever is named like a token, also the tokens of progress and `maxTokens`.
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final, final

from vcr_gen.boundaries.foreign_documents import Document, read_json
from vcr_gen.boundaries.mcp.frames import Frame
from vcr_gen.boundaries.mcp.other_tools.foreign_frames import message_in
from vcr_gen.boundaries.mcp.other_tools.imported_session import ImportedSession, Passed
from vcr_gen.boundaries.mcp.other_tools.scripted_clients import (
    ASSUMED_VERSION,
    has_handshake,
    in_turn,
    is_awaited,
    made_up_handshake,
)

_NEWEST: Final = 3
_ASSUMED_TOKENS: Final = 1000


def read_mcp_cassette(path: Path) -> ImportedSession:
    """Read a cassette of format version 1 to 3."""
    document = read_json(path)
    if not isinstance(document.value, dict) or not isinstance(document.value.get("messages"), list):
        raise document.wrong("a cassette of mcp-cassette, with a list of `messages`")
    if "format_version" in document and document["format_version"].number() > _NEWEST:
        raise document["format_version"].wrong(f"a version up to {_NEWEST}")
    repair = _Repair()
    messages = list(_messages(document["messages"], repair))
    is_script = not is_awaited(messages) or not has_handshake(messages)
    if messages and not has_handshake(messages):
        repair.remarks.append("assumed: the handshake; the file has none")
        version = document["protocol_version"].text(default=ASSUMED_VERSION)
        server = document["server_info"].value
        made_up = made_up_handshake(messages, version, server if isinstance(server, dict) else {})
        messages = [*made_up, *messages]
    if is_script and (turned := in_turn(messages)) != messages:
        repair.remarks.append("assumed: the client waits for each answer; in the file it does not")
        messages = turned
    return ImportedSession(
        tool="mcp-cassette",
        messages=messages,
        recorded_at=_recorded_at(document["recorded_at"]),
        remarks=repair.remarks,
    )


def _messages(found: Document, repair: "_Repair") -> Iterator[Passed]:
    for entry in found.entries():
        sender = entry["sender"].text()
        if sender not in ("client", "server"):
            raise entry["sender"].wrong("client or server")
        by_client = sender == "client"
        frame = message_in(entry["payload"])
        if frame is None:
            repair.remarks.append(f"skipped {entry.name}: no message of JSON-RPC")
            continue
        at = entry["t_offset_ms"].number() / 1000
        yield Passed(repair.repaired(frame, by_client=by_client), by_client, at)


def _recorded_at(found: Document) -> datetime | None:
    try:
        return None if found.value is None else datetime.fromisoformat(found.text())
    except ValueError:
        raise found.wrong("a time, such as 2026-11-18T10:00:00Z") from None


@final
class _Repair:
    """Gives back what the redaction took from messages that need it."""

    def __init__(self) -> None:
        self.remarks: list[str] = []
        self._open: dict[tuple[bool, int | str], Any] = {}
        """The last progress of each request that has a redacted token, by its side and number."""

    def repaired(self, frame: Frame, *, by_client: bool) -> Frame:
        """The message with tokens that tell its requests apart."""
        params = frame.get("params", {})
        if "method" not in frame:
            self._open.pop((not by_client, frame["id"]), None)
        elif frame["method"] == "notifications/progress":
            if params.get("progressToken") == "REDACTED":
                number = self._reporting(params, by_client=not by_client)
                return {**frame, "params": {**params, "progressToken": number}}
        elif "id" in frame and (params.get("_meta") or {}).get("progressToken") == "REDACTED":
            self._open[by_client, frame["id"]] = None
            meta = {**params["_meta"], "progressToken": frame["id"]}
            frame = {**frame, "params": {**params, "_meta": meta}}
        if isinstance(params.get("maxTokens"), str):
            remark = (
                f"assumed: maxTokens of {frame['method']} is {_ASSUMED_TOKENS}; it was redacted"
            )
            if remark not in self.remarks:
                self.remarks.append(remark)
            frame = {**frame, "params": {**frame["params"], "maxTokens": _ASSUMED_TOKENS}}
        return frame

    def _reporting(self, params: dict[str, Any], *, by_client: bool) -> int | str:
        """The request of this progress: one that came as far, or that has no progress yet."""
        numbers = [number for side, number in self._open if side == by_client]
        for number in numbers:
            last = self._open[by_client, number]
            if last is None or (
                last.get("total") == params.get("total")
                and last.get("progress", 0) < params.get("progress", 0)
            ):
                break
        else:
            number = numbers[-1] if numbers else "REDACTED"
        self._open[by_client, number] = params
        return number
