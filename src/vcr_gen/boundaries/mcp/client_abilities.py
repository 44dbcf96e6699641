"""The abilities of a client: like a real server, a mock server asks for nothing else."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, final

from vcr_gen.boundaries.mcp.ports import McpClient, Progress
from vcr_gen.boundaries.mcp.rpc_endpoint import CLOSED
from vcr_gen.boundaries.mcp.rpc_messages import Message, Result, RpcError
from vcr_gen.runtime.replay.collecting import UnansweredError

_NEEDED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "roots/list": "roots",
        "sampling/createMessage": "sampling",
        "elicitation/create": "elicitation",
    }
)
"""The abilities that a client names in its handshake, by the requests that need them."""


@final
class AbleClient:
    """A client that may lack abilities of the recorded one; the tape answers in its place."""

    def __init__(self, client: McpClient) -> None:
        self._client = client
        self._lacking: frozenset[str] = frozenset()
        self.notify = client.notify
        self.closed = client.closed

    def introduces_itself(self, handshake: Message) -> None:
        """Note the abilities that a client names in its first request."""
        abilities: Any = handshake.params.get("capabilities") or {}
        self._lacking = frozenset(_NEEDED.values()) - abilities.keys()

    async def request(self, message: Message, progress: Progress | None) -> Result:
        """Ask the client, if it is there and can be asked."""
        if _NEEDED.get(message.method) in self._lacking:
            raise UnansweredError
        try:
            return await self._client.request(message, progress)
        except RpcError as error:
            if error.frame == CLOSED:
                raise UnansweredError from None
            raise
