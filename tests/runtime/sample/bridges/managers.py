"""Context managers."""

import asyncio
from contextlib import asynccontextmanager, contextmanager
from typing import Any


class RealLocks:
    @contextmanager
    def lock(self, name: str, swallows: bool) -> Any:
        try:
            yield len(name)
        except KeyError:
            if not swallows:
                raise

    @asynccontextmanager
    async def alock(self, name: str, swallows: bool) -> Any:
        await asyncio.sleep(0.001)
        with self.lock(name, swallows) as length:
            yield length
        await asyncio.sleep(0.001)

    @contextmanager
    def guard(self, name: str) -> Any:
        yield name.upper()


class RealConnection:
    def __enter__(self) -> "RealConnection":
        return self

    def __exit__(self, kind: Any, error: Any, tb: Any) -> bool | None:
        return isinstance(error, KeyError) or None

    async def __aenter__(self) -> int:
        await asyncio.sleep(0)
        return 5

    async def __aexit__(self, kind: Any, error: Any, tb: Any) -> bool | None:
        return kind is KeyError
