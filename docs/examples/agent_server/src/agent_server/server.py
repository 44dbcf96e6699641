"""The server: a script at a time, step by step, with what came of each."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from agent_server.ports import Clock, Exited, Files, StderrLine, StdoutLine, StepRunner
from agent_server.results import Result, report, tell
from agent_server.scripts import Ask, Run, Script, ScriptError, parse_script


@dataclass(slots=True)
class Progress:
    """A script that was started, and how far it is."""

    name: str
    script: Script
    began: datetime
    variables: dict[str, str]
    """What later commands can use: the arguments, and the outcome of each step by its name."""
    results: list[Result] = field(default_factory=list[Result])
    running: bool = False
    stopped: bool = False
    """A step failed that must not fail."""

    @property
    def waits_for(self) -> Ask | None:
        """The step that the agent has to do now."""
        if self.stopped or self.is_over:
            return None
        step = self.script.steps[len(self.results)]
        return step if isinstance(step, Ask) else None

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do."""
        return self.stopped or len(self.results) == len(self.script.steps)

    def done(self, result: Result) -> None:
        """Keep what a step came to."""
        self.results.append(result)
        self.variables[result.step] = result.output


class Server:
    """Runs scripts from the folder `scripts` of a workspace."""

    def __init__(self, *, runner: StepRunner, files: Files, clock: Clock, workspace: Path) -> None:
        self._runner = runner
        self._files = files
        self._clock = clock
        self._workspace = workspace
        self._progress: Progress | None = None

    async def start(self, name: str, arguments: str = "") -> str:
        """Start a script and run it up to the first step that needs the agent."""
        if self._progress is not None:
            raise ScriptError(f"script {self._progress.name!r} is not finished yet")
        try:
            text = self._files.read(self._workspace / "scripts" / f"{name}.toml")
        except FileNotFoundError:
            raise ScriptError(f"there is no script {name!r}") from None
        script = parse_script(name, text)
        self._progress = Progress(name, script, self._clock.now(), {"arguments": arguments})
        return await self._advance(self._progress)

    async def continue_script(self, answer: str) -> str:
        """Take the agent's answer and run on."""
        progress = self._current()
        step = progress.waits_for
        if step is None or progress.running:
            raise ScriptError("the script does not wait for an answer")
        progress.done(Result(step.name, output=answer))
        return await self._advance(progress)

    async def finish(self) -> str:
        """Write the report."""
        progress = self._current()
        if not progress.is_over:
            raise ScriptError(f"not finished: {self.status()}")
        ended = self._clock.now()
        text = report(progress.script.title, progress.results, began=progress.began, ended=ended)
        path = self._workspace / "reports" / f"{progress.name}-{progress.began:%Y%m%d}.md"
        self._files.write(path, text)
        self._progress = None
        return f"The report is in {path}."

    def status(self) -> str:
        """Where the script is."""
        progress = self._progress
        if progress is None:
            return "idle"
        done, total = len(progress.results), len(progress.script.steps)
        if progress.stopped:
            return f"{progress.name}: stopped at step {done} of {total}"
        if progress.is_over:
            return f"{progress.name}: all {total} steps done"
        step = progress.script.steps[done]
        verb = "running" if progress.running else "waiting for the agent at"
        return f"{progress.name}: {verb} step {done + 1} of {total}, {step.name}"

    def _current(self) -> Progress:
        if self._progress is None:
            raise ScriptError("no script was started")
        return self._progress

    async def _advance(self, progress: Progress) -> str:
        """Run steps until the agent is needed or nothing is left; tell what was done."""
        before = len(progress.results)
        progress.running = True
        try:
            while not progress.is_over and progress.waits_for is None:
                step = progress.script.steps[len(progress.results)]
                assert isinstance(step, Run)
                result = await self._run(step, progress)
                progress.done(result)
                progress.stopped = bool(result.failure) and not step.may_fail
        finally:
            progress.running = False
        told = tell(progress.results[before:])
        if progress.waits_for is not None:
            return (
                f"{told}\n\n### Your turn: {progress.waits_for.name}\n{progress.waits_for.request}"
            )
        return f"{told}\n\n{self.status()}. Call finish."

    async def _run(self, step: Run, progress: Progress) -> Result:
        output: list[str] = []
        complaint: list[str] = []
        failure = ""
        events = self._runner.execute(
            step.command, working_dir=self._workspace, variables=dict(progress.variables)
        )
        try:
            async with asyncio.timeout(step.timeout):
                async for event in events:
                    match event:
                        case StdoutLine(text):
                            output.append(text)
                        case StderrLine(text):
                            complaint.append(text)
                        case Exited(0):
                            pass
                        case Exited(code):
                            failure = f"exit code {code}"
        except TimeoutError:
            failure = f"no end after {step.timeout} s"
        return Result(step.name, "\n".join(output), "\n".join(complaint), failure)
