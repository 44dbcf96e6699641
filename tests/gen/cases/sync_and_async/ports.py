from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from vcr_gen.boundary import inbound, outbound


@dataclass(frozen=True)
class Step:
    command: str


@outbound
class StepRunner(Protocol):
    """Runs steps."""

    def execute(self, step: Step, *, working_dir: Path, retries: int = 3) -> str:
        """Run one step.

        The result is what it printed.
        """
        ...

    async def stop(self, reason: str = "done", force: bool = False) -> None: ...


@inbound(name="server")
class ScriptServer(Protocol):
    async def start(self, name: str, arguments: str = "") -> str: ...

    def status(self) -> str: ...
