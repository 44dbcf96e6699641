"""The real environment: stateless, without a decision of their own."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from agent_server.ports import Exited, StderrLine, StdoutLine, StepEvent


class ShellStepRunner:
    """Runs each command with `sh`, in a process group of its own."""

    async def execute(
        self, command: str, *, working_dir: Path, variables: Mapping[str, str]
    ) -> AsyncIterator[StepEvent]:
        """Run one command and give its lines as they come."""
        process = await asyncio.create_subprocess_exec(
            "sh",
            "-c",
            command,
            cwd=working_dir,
            env={**os.environ, **variables},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stdout is not None and process.stderr is not None
        events: asyncio.Queue[StepEvent | None] = asyncio.Queue()
        readers = [
            asyncio.create_task(_read(process.stdout, StdoutLine, events)),
            asyncio.create_task(_read(process.stderr, StderrLine, events)),
        ]
        try:
            open_streams = len(readers)
            while open_streams:
                event = await events.get()
                if event is None:
                    open_streams -= 1
                else:
                    yield event
            yield Exited(await process.wait())
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            await asyncio.gather(*readers)
            await process.wait()


async def _read(
    stream: asyncio.StreamReader,
    kind: type[StdoutLine] | type[StderrLine],
    events: asyncio.Queue[StepEvent | None],
) -> None:
    async for line in stream:
        events.put_nowait(kind(line.decode(errors="replace").rstrip("\n")))
    events.put_nowait(None)


class DiskFiles:
    """Files on disk, as UTF-8."""

    def read(self, path: Path) -> str:
        """The whole text of a file."""
        return path.read_text(encoding="utf-8")

    def write(self, path: Path, text: str) -> None:
        """Replace a file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The time in UTC."""
        return datetime.now(UTC)
