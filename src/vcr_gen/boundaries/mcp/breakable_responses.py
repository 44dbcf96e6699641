"""Faults over HTTP: the responses of the SDK's server, broken where a fault is asked for."""

import os
import secrets
from typing import Any, Final, NoReturn, final

from starlette.types import ASGIApp, Receive, Scope, Send

from vcr_gen.boundaries.mcp.rpc_messages import RpcError

_CODE: Final = -32000


@final
class BreakableResponses:
    """Breaks answers on their way out.

    The SDK's server makes the response. A word in an answer marks what is to be broken, whatever
    the transport puts around it.
    """

    def __init__(self) -> None:
        self._malformed = secrets.token_hex(16)
        self._cut = secrets.token_hex(16)

    def of(self, app: ASGIApp) -> ASGIApp:
        """The application, with its marked answers broken."""

        async def breaking(scope: Scope, receive: Receive, send: Send) -> None:
            async def pass_on(message: Any) -> None:
                body: bytes = message.get("body", b"")
                if self._cut.encode() in body:
                    raise ConnectionAbortedError("a fault that was asked for")
                if self._malformed.encode() in body:  # of the same length, which was announced
                    message = {**message, "body": body.replace(b"}", b" ")}
                await send(message)

            await app(scope, receive, pass_on)

        return breaking

    async def send_malformed(self) -> NoReturn:
        """Let an answer be no JSON."""
        raise RpcError(_CODE, self._malformed)

    async def disconnect(self) -> NoReturn:
        """Let the connection close in the place of an answer."""
        raise RpcError(_CODE, self._cut)

    async def crash(self, code: int) -> None:
        """End the process."""
        os._exit(code)
