"""Where the server meets its environment: what it asks for, and what it is asked."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeAlias

from vcr_gen.boundary import inbound, outbound


@dataclass(frozen=True, slots=True)
class StdoutLine:
    """A line that a command printed."""

    text: str


@dataclass(frozen=True, slots=True)
class StderrLine:
    """A line that a command complained with."""

    text: str


@dataclass(frozen=True, slots=True)
class Exited:
    """The end of a command."""

    code: int


StepEvent: TypeAlias = StdoutLine | StderrLine | Exited


@outbound
class StepRunner(Protocol):
    """Runs shell commands."""

    def execute(
        self, command: str, *, working_dir: Path, variables: Mapping[str, str]
    ) -> AsyncIterator[StepEvent]:
        """Run one command; closing the stream early ends the command."""
        ...


@outbound
class Files(Protocol):
    """Reads and writes text files."""

    def read(self, path: Path) -> str:
        """The whole text of a file."""
        ...

    def write(self, path: Path, text: str) -> None:
        """Replace a file, and make its folder where there is none."""
        ...


@outbound
class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The time, with its zone."""
        ...


@inbound(name="server")
class ScriptServer(Protocol):
    """What an agent can ask of the server."""

    async def start(self, name: str, arguments: str = "") -> str:
        """Start a script and run it up to the first step that needs the agent."""
        ...

    async def continue_script(self, answer: str) -> str:
        """Give the answer the script waits for and run it on."""
        ...

    async def finish(self) -> str:
        """Write the report of the script and be ready for the next one."""
        ...

    def status(self) -> str:
        """Where the script is, in one line; may be asked at any time."""
        ...
