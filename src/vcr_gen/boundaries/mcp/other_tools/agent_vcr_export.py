"""Writes a cassette as a recording of agent-vcr, a `.vcr` file."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final, final

from vcr_gen.boundaries.mcp.frames import Frame
from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.failures.call_names import call_name
from vcr_gen.runtime.tape.events import INTERNAL, End, Start
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.reading import Reading, read_events

_PROGRESS: Final = "notifications/progress"


@final
class AgentVcrExport:
    """A recording, and what such a file cannot hold."""

    def __init__(self, reading: Reading) -> None:
        header = Header.read(reading.header, reading.path)
        self._signatures = header.signatures
        self._began = header.recorded_at
        self._open: dict[int, tuple[Start, Frame]] = {}
        self._tokens: dict[object, int] = {}
        """The requests whose progress a function hears, by the name of the function."""
        self._said: list[Frame] = []
        """What the server said since the last answer."""
        self._answered: list[dict[str, Any]] = []
        self._made = 0
        self._servers: set[str] = set()
        self.skipped: list[str] = []
        """In words."""
        for event, _, _, line in read_events(reading, reading.path):
            if isinstance(event, Start):
                self._begin(event, line)
            elif isinstance(event, End) and event.call in self._open:
                self._end(event, *self._open.pop(event.call))
        self.skipped += [
            f"{self._name(start)}: it has no answer" for start, _ in self._open.values()
        ]
        self.skipped += [f"client {said['method']}: it has no answer" for said in self._said]
        if len(self._servers) > 1:
            raise CassetteFormatError(
                "agent-vcr stores sessions with one server; this one has several", path=reading.path
            )
        first = self._answered[0] if self._answered else {"request": {}}
        if first["request"].get("method") != "initialize":
            raise CassetteFormatError(
                "agent-vcr needs a session that begins with `initialize`", path=reading.path
            )

    @property
    def requests(self) -> int:
        """How many requests of the client the recording has."""
        return len(self._answered)

    def document(self) -> dict[str, Any]:
        """The recording as JSON."""
        first, *others = self._answered
        request, response = first["request"], first["response"]
        result = response.get("result", {})
        return {
            "format_version": "1.0.0",
            "metadata": {
                "version": "1.0",
                "recorded_at": self._began.isoformat(),
                "transport": "stdio",
                "client_info": request.get("params", {}).get("clientInfo", {}),
                "server_info": result.get("serverInfo", {}),
            },
            "session": {
                "initialize_request": request,
                "initialize_response": response,
                "capabilities": result.get("capabilities", {}),
                "interactions": [
                    {"sequence": number, **answered} for number, answered in enumerate(others)
                ],
            },
        }

    def _begin(self, start: Start, line: int) -> None:
        message: Any = start.arguments.get("message")
        if start.of == "server.request":
            self._made += 1
            self._servers.add(start.on)
            self._open[start.call] = start, self._request(message, start.arguments.get("progress"))
        elif start.of == "client.notify":
            self._said.append({"jsonrpc": "2.0", **message})
        elif start.of == "callable.call" and start.on in self._tokens:
            said = {name: value for name, value in start.arguments.items() if value is not None}
            params = {"progressToken": self._tokens[start.on], **said}
            self._said.append({"jsonrpc": "2.0", "method": _PROGRESS, "params": params})
        elif start.of == "server.notify" and message["method"] == "notifications/initialized":
            pass  # follows from the handshake
        elif start.of not in INTERNAL and start.of != "client.closed":
            self.skipped.append(f"{self._name(start)}, line {line}")

    def _request(self, message: Mapping[str, Any], progress: object) -> Frame:
        params = dict(message.get("params", {}))
        if isinstance(progress, dict):  # {"$async_callable": 1}
            self._tokens[f"#{next(iter(progress.values()))}"] = self._made
            params["_meta"] = {**params.get("_meta", {}), "progressToken": self._made}
        said = {"method": message["method"], **({"params": params} if params else {})}
        return {"jsonrpc": "2.0", "id": self._made, **said}

    def _end(self, end: End, start: Start, request: Frame) -> None:
        if end.outcome == "cancelled":
            self.skipped.append(f"{self._name(start)}: it was cancelled")
            return
        answer = {"result": end.value} if end.outcome == "returned" else self._error(end, start)
        at = self._began + timedelta(seconds=end.at)
        self._answered.append(
            {
                "timestamp": at.isoformat(),
                "direction": "client_to_server",
                "request": request,
                "response": {"jsonrpc": "2.0", "id": request["id"], **answer},
                "notifications": self._said,
                "latency_ms": round((end.at - start.at) * 1000, 3),
            }
        )
        self._said = []

    def _error(self, end: End, start: Start) -> Frame:
        value: Any = end.value
        code, message, *data = value["args"]
        error = {"code": code, "message": message}
        if data and isinstance(data[0], dict):
            error["data"] = data[0]
        elif data:
            self.skipped.append(f"{self._name(start)}: the data of its error is no object")
        return {"error": error}

    def _name(self, start: Start) -> str:
        return call_name(start.of, start.arguments, self._signatures.get(start.of, ""))
