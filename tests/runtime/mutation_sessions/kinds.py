"""The two kinds of sessions: a program that calls the environment, and one that is called by it."""

import asyncio
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sample.application import Application
from sample.bridges import RealShell
from vcr_sample import VcrServer, VcrShell

from vcr_gen import Cassette, DivergenceError, Driver, VcrError

STATE = {"cwd": Path("/proj/a"), "count": 3}
ANCHORS = {"project": "/proj"}


def facts(error: BaseException) -> list[Any]:
    """All that one can tell of an exception."""
    cause = error.__cause__
    return [type(error), repr(error.args), repr(vars(error)), facts(cause) if cause else None]


def attempt(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a call returns, or the facts of what it raises."""
    try:
        return function(*arguments)
    except (DivergenceError, VcrError):
        raise
    except BaseException as error:
        return facts(error)


Steps = Sequence[Callable[[Any], Any]]


@dataclass(frozen=True)
class Outbound:
    """A program that calls the environment, step by step."""

    name: str
    wrapper: Any
    real: Any
    steps: Steps

    def record(self, path: Path) -> Any:
        with Cassette(path, "all", initial_state=STATE, anchors=ANCHORS) as cassette:
            return self._run(cassette, self.wrapper.attach(cassette, self.real), self.steps)

    def replay(self, path: Path, steps: Steps | None = None) -> Any:
        with Cassette(path, "none", anchors=ANCHORS, patience=0.5) as cassette:
            wrapper = self.wrapper(cassette=cassette)
            return self._run(cassette, wrapper, self.steps if steps is None else steps)

    def _run(self, cassette: Cassette, wrapper: Any, steps: Steps) -> Any:
        log = [dict(cassette.initial_state)]
        if any(inspect.iscoroutinefunction(step) for step in steps):

            async def program() -> None:
                log.extend([await step(wrapper) for step in steps])

            asyncio.run(program())
        else:
            log.extend(step(wrapper) for step in steps)
        return log


class Agent(Application):
    """An application that calls the environment, by steps that can be changed."""

    shell: Any
    steps: Steps = (
        lambda agent: agent.shell.read(len(agent.log)),
        lambda agent: agent.shell.tell("between"),
        lambda agent: agent.shell.read("after"),
    )

    def status(self) -> str:
        self.log.extend(step(self) for step in self.steps)
        return f"{len(self.log)} seen"

    def count(self, upto: int) -> Any:
        for number in range(upto):
            self.log.append(self.shell.join("item", n=number))
            yield number
        return None

    async def start(self, name: str, arguments: str = "") -> str:
        self.log.append((arguments, await self.shell.arun(name, 0.001 * len(name))))
        self.log.extend(step(self) for step in self.steps)
        return name.upper()


@dataclass(frozen=True)
class Inbound:
    """An environment that calls a program, which calls the environment in turn."""

    name: str
    environment: Callable[[Any], Any]

    def record(self, path: Path) -> Any:
        agent = Agent()
        with Cassette(path, "all", initial_state=STATE, anchors=ANCHORS) as cassette:
            agent.shell = VcrShell(cassette=cassette, inner=RealShell())
            server = VcrServer(cassette=cassette, inner=agent)
            if inspect.iscoroutinefunction(self.environment):
                asyncio.run(self.environment(server))
            else:
                self.environment(server)
            return [dict(cassette.initial_state), *agent.log]

    def replay(self, path: Path, steps: Steps | None = None) -> Any:
        agent = Agent()
        if steps is not None:
            agent.steps = steps
        with Cassette(path, "none", anchors=ANCHORS) as cassette:
            agent.shell = VcrShell(cassette=cassette)
            driver = Driver(cassette, VcrServer(cassette=cassette, inner=agent))
            if inspect.iscoroutinefunction(self.environment):
                asyncio.run(driver.run())
            else:
                driver.run_sync()
            return [dict(cassette.initial_state), *agent.log]

    @property
    def steps(self) -> Steps:
        return Agent.steps
