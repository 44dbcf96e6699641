"""Scripts: what they say, and how they are read."""

import tomllib
from dataclasses import dataclass
from typing import TypeAlias


class ScriptError(Exception):
    """The agent asked for something that cannot be done."""


@dataclass(frozen=True, slots=True)
class Run:
    """A step that the server does: a shell command."""

    name: str
    command: str
    may_fail: bool = False
    timeout: float | None = None
    """Seconds after which the command is ended."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A step that only the agent can do."""

    name: str
    request: str


Step: TypeAlias = Run | Ask


@dataclass(frozen=True, slots=True)
class Script:
    """Steps in their order."""

    title: str
    steps: tuple[Step, ...]


def parse_script(name: str, text: str) -> Script:
    """Read a script; what is wrong with it is said with its step."""
    try:
        data = tomllib.loads(text)
        steps = tuple(_step(index, step) for index, step in enumerate(data["step"], start=1))
        return Script(title=str(data["title"]), steps=steps)
    except tomllib.TOMLDecodeError as error:
        raise ScriptError(f"script {name!r} is not TOML: {error}") from error
    except KeyError as error:
        raise ScriptError(f"script {name!r} has no {error}") from error


def _step(index: int, data: dict[str, object]) -> Step:
    match data:
        case {"name": str(name), "run": str(command), **options}:
            return _run(index, name, command, options)
        case {"name": str(name), "ask": str(request), **options} if not options:
            return Ask(name, request)
        case _:
            raise ScriptError(f"step {index}: expected a name with either `run` or `ask`")


def _run(index: int, name: str, command: str, options: dict[str, object]) -> Run:
    may_fail = options.pop("may_fail", False)
    timeout = options.pop("timeout", None)
    if options:
        raise ScriptError(f"step {index}: unknown: {', '.join(sorted(options))}")
    if not isinstance(may_fail, bool) or not isinstance(timeout, int | float | None):
        raise ScriptError(f"step {index}: `may_fail` is true or false, `timeout` is in seconds")
    return Run(name, command, may_fail, None if timeout is None else float(timeout))
