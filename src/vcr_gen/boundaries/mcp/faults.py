"""Faults: what goes wrong with some answers of a mock server, to test how its client bears it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from types import MappingProxyType
from typing import Final, Protocol, final

import anyio

from vcr_gen.boundaries.mcp.ports import Progress
from vcr_gen.boundaries.mcp.request_targets import Target, target_of
from vcr_gen.boundaries.mcp.rpc_messages import Message, Result, RpcError, title_of
from vcr_gen.errors import UsageError
from vcr_gen.spelling import did_you_mean

_VALUES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "error": r"(?P<code>-?\d+)(?::(?P<message>.+))?",
        "delay": r"(?P<seconds>\d+(?:\.\d+)?)",
        "timeout": "",
        "malformed": "",
        "disconnect": "",
        "crash": r"(?P<exit>[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])?",
    }
)
"""The kinds of faults, and what follows the colon after each."""
_FORMS: Final = "error:CODE[:MESSAGE], delay:SECONDS, timeout, malformed, disconnect, crash[:CODE]"
_COUNT: Final = re.compile(r"@(?P<first>\d+)(?P<to>-(?P<last>\d+)?)?$|@-\d+$|#\d+$")
"""A count, or what looks like one."""
_EXIT: Final = 1
MALFORMED: Final = b'{"jsonrpc":"2.0","result":{"content":['
"""The beginning of an answer, which a client gets instead of the whole one."""


@final
@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in the answers to some requests."""

    text: str
    target: Target
    first: int
    last: float
    """Which of those requests are meant, counted from 1."""
    kind: str
    seconds: float = 0.0
    code: int = 0
    message: str = ""

    def hits(self, number: int) -> bool:
        """Whether a request is meant: one of its target, with this number among them."""
        return self.first <= number <= self.last


def parse_fault(text: str) -> Fault:
    """The fault that a text describes: `tools/call:search@2=error:-32000:out of order`."""
    kinds = "|".join(_VALUES)
    found = re.fullmatch(rf"(?P<where>.+?)=(?P<kind>{kinds})(?::(?P<value>.*))?", text)
    if found is None:
        where, _, rest = text.partition("=")
        kind = rest.partition(":")[0]
        raise UsageError(
            f"fault {text!r}: expected METHOD[:NAME][@COUNT]=FAULT{did_you_mean(kind, _VALUES)}"
            f"\n\nhint: faults are {_FORMS}"
        )
    kind, given_value = found["kind"], found["value"] or ""
    value = re.fullmatch(_VALUES[kind], given_value)
    if value is None:
        wrong = f"unexpected value {given_value!r} of {kind}"
        reason = wrong if given_value else f"{kind} needs a value"
        raise UsageError(f"fault {text!r}: {reason}\n\nhint: faults are {_FORMS}")
    where, first, last = _counted(text, found["where"])
    given = value.groupdict()
    return Fault(
        text=text,
        target=target_of(where),
        first=first,
        last=last,
        kind=kind,
        seconds=float(given.get("seconds") or 0),
        code=int(given.get("code") or given.get("exit") or _EXIT),
        message=given.get("message") or "vcr-gen: a fault that was asked for",
    )


def _counted(text: str, where: str) -> tuple[str, int, float]:
    """The requests without their count, and the first and the last that are meant."""
    found = _COUNT.search(where)
    if found is None:
        return where, 1, inf
    first = int(found["first"] or 0)
    last = float(found["last"] or inf) if found["to"] else first
    if not 1 <= first <= last:
        raise UsageError(
            f"fault {text!r}: unexpected count {found[0]!r}\n\n"
            "hint: @2 is the second request, @1-3 the first three, @2- all but the first"
        )
    return where[: found.start()], first, last


class Breakable(Protocol):
    """The connection with a client, as far as faults are concerned."""

    async def send_malformed(self) -> None:
        """Send the client something that is not JSON in the place of an answer."""

    async def disconnect(self) -> None:
        """Close the connection without an answer."""

    async def crash(self, code: int) -> None:
        """End as a server does that crashes."""


class Server(Protocol):
    """Answers what a client asks."""

    async def request(self, message: Message, progress: Progress | None) -> Result:
        """Answer a request."""

    async def notify(self, message: Message) -> None:
        """Note a notification."""


@final
class FaultyServer:
    """A server with faults. Each comes when the tape has been asked, which does not know of it."""

    def __init__(self, server: Server, faults: Iterable[Fault], connection: Breakable) -> None:
        self._server = server
        self._counts = dict.fromkeys(faults, 0)
        self._connection = connection
        self.notify = server.notify

    async def request(self, message: Message, progress: Progress | None) -> Result:
        """Answer a request, or do what is wrong with its answer."""
        faults = self._of(message)
        try:
            result = await self._server.request(message, progress)
        except RpcError:
            for fault in faults:
                await self._apply(fault)
            raise
        for fault in faults:
            await self._apply(fault)
        return result

    def _of(self, message: Message) -> list[Fault]:
        title = title_of(message)
        meant = [fault for fault in self._counts if fault.target.is_for(title)]
        for fault in meant:
            self._counts[fault] += 1
        return [fault for fault in meant if fault.hits(self._counts[fault])]

    async def _apply(self, fault: Fault) -> None:
        match fault.kind:
            case "delay":
                await anyio.sleep(fault.seconds)
                return
            case "error":
                raise RpcError(fault.code, fault.message)
            case "malformed":
                await self._connection.send_malformed()
            case "disconnect":
                await self._connection.disconnect()
            case "crash":
                await self._connection.crash(fault.code)
        await anyio.sleep_forever()  # the client gets no answer
