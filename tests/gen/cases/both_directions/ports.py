from typing import Protocol

from vcr_gen.boundary import inbound, outbound, unrecorded


@outbound
class Socket(Protocol):
    def send(self, data: bytes) -> int: ...
    @inbound
    async def on_message(self, data: bytes) -> None: ...
    @unrecorded
    def close(self, timeout: float = ..., *, force: bool = False) -> None: ...
    @property
    @unrecorded
    def fileno(self) -> int: ...
