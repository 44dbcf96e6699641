"""Subscriptions, in the protocol since 2026: a client listens by a request that stays open.

Everything that it receives for one carries the number of that request, which differs on every run.
On the tape, a subscription has the name of what it listens to.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, final

from vcr_gen.boundaries.mcp.frames import Number, number_in
from vcr_gen.boundaries.mcp.rpc_messages import Message

_LISTEN: Final = "subscriptions/listen"
_ENTRY: Final = "io.modelcontextprotocol/subscriptionId"
"""The entry of `_meta` with the subscription that a message belongs to."""


@final
class Subscriptions:
    """The names of one client's subscriptions, on its wire and on the tape."""

    def __init__(self) -> None:
        self._names: dict[Number, str] = {}
        self._numbers: dict[Number, Number] = {}

    def asked(self, number: Number, message: Message) -> None:
        """Note a request, if it subscribes to something."""
        if message.method == _LISTEN:
            wanted = json.dumps(message.params.get("notifications"), sort_keys=True)
            before = sum(name.startswith(wanted) for name in self._names.values())
            name = f"{wanted} {before + 1}" if before else wanted
            self._names[number], self._numbers[name] = name, number

    def named(self, content: dict[str, Any]) -> dict[str, Any]:
        """Parameters or a result as they are on the tape."""
        return _replaced(content, lambda number: self._names.get(number, number))

    def numbered(self, content: dict[str, Any]) -> dict[str, Any]:
        """Parameters or a result as they are on the wire."""
        return _replaced(content, lambda name: self._numbers.get(name, name))


def subscription_in(content: Mapping[str, Any]) -> Number | None:
    """The subscription that a message belongs to."""
    meta = content.get("_meta") if isinstance(content, Mapping) else None
    return number_in(meta, _ENTRY) if isinstance(meta, Mapping) else None


def _replaced(content: dict[str, Any], by: Callable[[Number], Number]) -> dict[str, Any]:
    entry = subscription_in(content)
    if entry is None:
        return content
    return {**content, "_meta": {**content["_meta"], _ENTRY: by(entry)}}
