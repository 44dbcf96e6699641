"""Reads from a cassette what a server listed, and what its client asked of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from vcr_gen.cassette_tools.recorded_calls import RecordedCall, Status, read_calls
from vcr_gen.errors import UsageError
from vcr_gen.runtime.codec import Compiler
from vcr_gen.runtime.privacy import redacting
from vcr_gen.runtime.tape.reading import Reading

Kind: TypeAlias = Literal["server", "tool", "resource", "resource template", "prompt"]


@dataclass(frozen=True, slots=True)
class _Source:
    """The request that lists items of a kind."""

    method: str
    holder: str
    """The field of its result that holds them."""
    key: str
    """The field by which an item is known."""
    capability: str


KINDS: Final[Mapping[Kind, _Source]] = {
    "tool": _Source("tools/list", "tools", "name", "tools"),
    "resource": _Source("resources/list", "resources", "uri", "resources"),
    "resource template": _Source(
        "resources/templates/list", "resourceTemplates", "uriTemplate", "resources"
    ),
    "prompt": _Source("prompts/list", "prompts", "name", "prompts"),
}
_JSON: Final = Compiler().codec(dict[str, Any])
_GREETINGS: Final = ("initialize", "server/discover")


@dataclass(frozen=True, slots=True)
class Listed:
    """An item of a listing."""

    kind: Kind
    key: str
    data: Mapping[str, Any]
    line: int
    """Where the cassette has it."""


@dataclass(frozen=True, slots=True)
class Listing:
    """All pages of a listing."""

    items: Sequence[Listed]
    line: int
    is_complete: bool
    """Whether the client asked for all pages."""

    def by_key(self) -> dict[str, Listed]:
        """The items by the key that identifies them."""
        return {item.key: item for item in self.items}


@dataclass(frozen=True, slots=True)
class Request:
    """A request of the client, and how it ended."""

    method: str
    params: Mapping[str, Any]
    line: int
    status: Status
    result: Any

    @property
    def name(self) -> str:
        """The name of the tool or prompt, or the URI of the resource, that is asked for."""
        return str(self.params.get("name", self.params.get("uri", "")))

    @property
    def words(self) -> str:
        """`tools/call search`"""
        return f"{self.method} {self.name}".rstrip()


@dataclass(frozen=True, slots=True)
class Session:
    """What a cassette has of one server."""

    path: Path
    server: str
    """The name that tells it from other servers on the cassette; empty if it has none."""
    greeting: Mapping[str, Any]
    """The answer in which the server says who it is and what it can do; empty if there is none."""
    greeting_line: int
    requests: Sequence[Request]
    listings: Mapping[Kind, Sequence[Listing]] = field(default_factory=dict)
    """Every listing of each kind, in order."""

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """What the server says that it can do."""
        found = self.greeting.get("capabilities", {})
        return found if isinstance(found, Mapping) else {}

    def listing(self, kind: Kind) -> Listing | None:
        """The listing that counts: the last complete one, or the last one."""
        listings = self.listings.get(kind, ())
        complete = [listing for listing in listings if listing.is_complete]
        return next(reversed(complete or listings), None)


def read_sessions(path: Path) -> dict[str, Session]:
    """The sessions in a cassette by the names of servers; raises `UsageError` if it has none."""
    with Reading(path, change=redacting()) as reading:
        calls = [call for call in read_calls(reading) if call.start.of == "server.request"]
    found: dict[str, list[Request]] = {}
    for call in sorted(calls, key=lambda call: call.index):
        request = _request(call)
        if request.method:
            found.setdefault(_server(call.start.on), []).append(request)
    if not found:
        raise UsageError(
            f"{path}: the cassette has no session with an MCP server\n\n"
            f"hint: vcr-gen mcp record -o {path} -- COMMAND ..."
        )
    places = _Places(path)
    return {name: _session(path, name, requests, places) for name, requests in found.items()}


def pair_sessions(
    before: Mapping[str, Session], after: Mapping[str, Session]
) -> list[tuple[Session, Session]]:
    """The sessions of each server in two cassettes; single ones belong together by nature."""
    if len(before) == len(after) == 1:
        return list(zip(before.values(), after.values(), strict=True))
    for name in before.keys() ^ after.keys():
        one, other = (before, after) if name in before else (after, before)
        path, lacking = next(iter(one.values())).path, next(iter(other.values())).path
        what = f"the server {name}" if name else "a server without a name"
        raise UsageError(f"{path}: {what} is not in {lacking}")
    return [(session, after[name]) for name, session in before.items()]


def _server(wrapper: str) -> str:
    """The name of a server by its wrapper: `server~search`, or `server~2` without a name."""
    name = wrapper.split("~")[1] if "~" in wrapper else ""
    return "" if name.isdigit() else name


def _session(path: Path, name: str, requests: Sequence[Request], places: "_Places") -> Session:
    answered = [request for request in requests if request.status == "returned"]
    greetings = [request for request in answered if request.method in _GREETINGS]
    greeting = greetings[-1] if greetings else Request("", {}, 0, "unfinished", {})
    return Session(
        path,
        name,
        greeting.result,
        greeting.line,
        requests,
        {kind: _listings(kind, requests, places) for kind in KINDS},
    )


def _request(call: RecordedCall) -> Request:
    """A recorded call as a request; one without a method if it is none."""
    message = call.arguments.get("message")
    decode = _JSON.decode
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return Request("", {}, call.line, call.status, {})
    stored = message.get("params") or {}
    params = decode(stored) if isinstance(stored, dict) else {}
    result = decode(call.value) if call.status == "returned" and call.value else {}
    line = call.end_line or call.line
    is_question = message["method"] in ("tools/call", "prompts/get", "resources/read")
    shown = call.line if is_question else line
    return Request(str(message["method"]), params, shown, call.status, result)


def _listings(kind: Kind, requests: Iterable[Request], places: "_Places") -> list[Listing]:
    """The listings of a kind: the pages of each are joined by their cursors."""
    source = KINDS[kind]
    chains: list[list[Request]] = []
    for request in requests:
        if request.method != source.method:
            continue
        cursor = request.params.get("cursor")
        open_chains = (c for c in reversed(chains) if cursor is not None and _next(c) == cursor)
        chain = next(open_chains, None)
        if chain is None:
            chains.append([request])
        else:
            chain.append(request)
    return [_listing(kind, chain, places) for chain in chains if chain[-1].status != "unfinished"]


def _next(chain: Sequence[Request]) -> object:
    return chain[-1].result.get("nextCursor")


def _listing(kind: Kind, chain: Sequence[Request], places: "_Places") -> Listing:
    source = KINDS[kind]
    items: list[Listed] = []
    for page in chain:
        found, line = page.result.get(source.holder), page.line
        for data in found if isinstance(found, list) else ():
            if isinstance(data, Mapping):
                key = str(data.get(source.key, ""))
                line = places.line(page.line, source.key, key, after=line)
                items.append(Listed(kind, key, data, line))
    first = chain[0]
    is_complete = _next(chain) is None and first.params.get("cursor") is None
    return Listing(items, first.line, is_complete)


class _Places:
    """Finds the lines of items in a YAML cassette; in other formats, an entry is one line."""

    def __init__(self, path: Path) -> None:
        self._lines: list[str] = []
        if path.suffix in (".yaml", ".yml"):
            with path.open(encoding="utf-8", errors="replace") as lines:
                self._lines = list(lines)

    def line(self, entry: int, key: str, value: str, *, after: int) -> int:
        """The line of `key: value` in an entry, after another line; that of the entry if none."""
        wanted = {f"{key}: {value}", f'{key}: "{value}"', f"{key}: '{value}'"}
        for number, line in enumerate(islice(self._lines, after, None), start=after + 1):
            if line.startswith("- "):  # the next entry
                break
            if line.strip().removeprefix("- ") in wanted:
                return number
        return entry
