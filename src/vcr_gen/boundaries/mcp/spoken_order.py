"""Compares the order in which a driven server speaks while it works on a single request."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, final

from vcr_gen import Tape
from vcr_gen.boundaries.mcp.frames import Frame
from vcr_gen.boundaries.mcp.rpc_endpoint import without_token
from vcr_gen.cassette_tools.recorded_calls import RecordedCall
from vcr_gen.errors import Divergence, DivergenceKind, RecordedEvent
from vcr_gen.runtime.codec import Compiler, Difference
from vcr_gen.runtime.plain import Plain

_ANSWER: Final = "the answer"
_LOG: Final = "notifications/message"
"""The only notification with a place: a server may announce that a list has changed at any time."""
_JSON: Final = Compiler().codec(dict[str, Any])
_SHOWN: Final = 80


@final
@dataclass(slots=True)
class _Turn:
    """What the server says after a request of the client, until the next one."""

    is_alone: bool
    """Whether no other request was under way: the order of several is free."""
    call: RecordedCall | None
    """The request, on the tape."""
    said: list[str] = field(default_factory=list)


@final
class Transcript:
    """What a server says after each request of its client.

    In several streams, as streamable HTTP has them, only progress is in order: the rest of what
    belongs to a request may come by another stream.
    """

    def __init__(self, *, in_one_stream: bool) -> None:
        self.turns: list[_Turn] = []
        self.server_ends = False
        """Whether the server ends by itself."""
        self._in_one_stream = in_one_stream
        self._under_way = 0

    def asked(self, call: RecordedCall | None = None) -> None:
        """Note that the client asks."""
        if self._under_way:
            self.turns[-1].is_alone = False
        self.turns.append(_Turn(not self._under_way, call))
        self._under_way += 1

    def cancelled(self) -> None:
        """Note that the client no longer waits for an answer."""
        self._under_way -= 1
        self.turns[-1].is_alone = False

    def answered(self) -> None:
        """Note that the server answers."""
        self._under_way = max(0, self._under_way - 1)  # it may answer twice
        self._say(_ANSWER)

    def progressed(self, progress: object) -> None:
        """Note that the server reports progress."""
        if self.turns:
            self.turns[-1].said.append(f"progress {progress}")

    def spoke(self, method: str, params: Mapping[str, Any], *, asks: bool) -> None:
        """Note that the server asks the client, or tells it something."""
        if asks or method == _LOG:
            self._say(f"{method} {json.dumps(params, sort_keys=True, ensure_ascii=False)}")

    def _say(self, what: str) -> None:
        if self.turns and self._in_one_stream:
            self.turns[-1].said.append(what)

    def client_said(self, frame: Frame) -> None:
        """Note a frame of the client."""
        if "method" in frame and "id" in frame:
            self.asked()
        elif frame.get("method") == "notifications/cancelled" and self.turns:
            self.cancelled()

    def server_said(self, frame: Frame) -> None:
        """Note a frame of the server."""
        method, params = frame.get("method"), frame.get("params") or {}
        if method is None:
            self.answered()
        elif method == "notifications/progress":
            self.progressed(params.get("progress"))
        else:
            self.spoke(method, without_token(params), asks="id" in frame)


def recorded_transcript(path: Path, *, in_one_stream: bool) -> Transcript:
    """What the server of a cassette said after each request."""
    transcript = Transcript(in_one_stream=in_one_stream)
    with Tape(path) as tape:
        calls = list(tape.calls())
    begun = [(call.line, 0, call) for call in calls]
    ended = [(call.end_line, 1, call) for call in calls if call.status != "unfinished"]
    for _, is_end, call in sorted(begun + ended, key=lambda event: event[:2]):
        message: Any = call.arguments.get("message", {})
        match call.start.of:
            case "server.request" if not is_end:
                transcript.asked(call)
            case "server.request" if call.status == "cancelled":
                transcript.cancelled()
            case "server.request":
                transcript.answered()
            case "callable.call" if call.inbound and not is_end:
                transcript.progressed(call.arguments.get("progress"))
            case "client.request" | "client.notify" if not is_end:
                asks = call.method == "request"
                transcript.spoke(message["method"], _params(message), asks=asks)
            case "client.closed":
                transcript.server_ends = True
    return transcript


def _params(message: Mapping[str, Plain]) -> Mapping[str, Any]:
    return without_token(_JSON.decode(message["params"])) if message.get("params") else {}


def differences_in_order(
    path: Path, recorded: Transcript, actual: Transcript
) -> Iterator[Divergence]:
    """The requests that are answered again, or after which the order is different.

    What it no longer says, or says differently, the replay itself has reported.
    """
    for before, now in zip(recorded.turns, actual.turns, strict=False):
        if now.is_alone and now.said.count(_ANSWER) > max(1, before.said.count(_ANSWER)):
            yield _divergence(path, "extra", before, "the server answered more than once")
        is_same = sorted(before.said) == sorted(now.said)
        if not (before.is_alone and now.is_alone and is_same) or before.said == now.said:
            continue
        old, new = ("\n".join(each[:_SHOWN] for each in turn.said) for turn in (before, now))
        differs = Difference("messages", old, new, "order differs")
        words = "the server said the same in a different order"
        yield _divergence(path, "order", before, words, differs)


def server_ended(path: Path, recorded: Transcript, actual: Transcript) -> Divergence:
    """The server ended by itself in the middle of the session."""
    last = len(actual.turns) - 1
    turn = recorded.turns[last] if 0 <= last < len(recorded.turns) else None
    when = "before it was asked anything"
    if turn is not None:
        when = "after its answer" if _ANSWER in actual.turns[last].said else "before its answer"
    words = f"the server ended {when}; the rest of the session was not compared"
    return _divergence(path, "missing", turn, words)


def _divergence(
    path: Path, kind: DivergenceKind, turn: _Turn | None, words: str, *differences: Difference
) -> Divergence:
    call = turn.call if turn else None
    if call is None:
        return Divergence(kind=kind, headline=words, cassette=path, differences=differences)
    due = RecordedEvent(
        boundary=call.boundary,
        method=call.method,
        what=call.words,
        number=call.number,
        line=call.line,
    )
    return Divergence(
        kind=kind,
        headline=f"{call.name}: {words}",
        cassette=path,
        boundary=call.boundary,
        method=call.method,
        due=due,
        differences=differences,
        shown=differences,
    )
