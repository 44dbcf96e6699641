"""Takes what threads hear of a session to the loop that records it, and keeps none waiting."""

import asyncio
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, final

import anyio

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp.frames import Frame
from vcr_gen.boundaries.mcp.session_tap import SessionTap

_SWITCH_INTERVAL: Final = 0.0005
"""Seconds until a thread that forwards gets its turn beside the one that records."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What one side said, or that it has left."""

    by_client: bool
    frames: Iterable[Frame] = ()
    has_left: bool = False


@final
class TapQueue:
    """What has been heard and is not recorded yet; made in the loop that records."""

    def __init__(self) -> None:
        self._heard: asyncio.Queue[Heard | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        sys.setswitchinterval(_SWITCH_INTERVAL)

    def tell(self, item: Heard | None) -> None:
        """Take note of what has been heard, in any thread; of None at the end."""
        with suppress(RuntimeError):  # the loop is closed: the recording has failed
            self._loop.call_soon_threadsafe(self._heard.put_nowait, item)

    async def record(self, cassette: Cassette) -> None:
        """Record what is heard, until the end."""
        async with anyio.create_task_group() as tasks:
            await self._follow(SessionTap(cassette, tasks))
            tasks.cancel_scope.cancel()

    async def _follow(self, tap: SessionTap) -> None:
        server_has_left = False
        while (item := await self._heard.get()) is not None:
            for frame in item.frames:
                await tap.passed(frame, by_client=item.by_client)
            if item.has_left and item.by_client:
                await tap.client_has_left()
            elif item.has_left:
                server_has_left = True
                await tap.server_has_left()
        if not server_has_left:
            await tap.client_has_left()
