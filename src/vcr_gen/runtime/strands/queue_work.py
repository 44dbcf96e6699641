"""Pieces of work that threads take from what they share: the jobs of a pool of the program's own.

Which thread takes which piece is chance, so each is a line of execution of its own. One stands in a
function that takes from a queue and keeps what it got in a variable. The code of the functions that
a thread stands in is read for that, each once, and nothing has to be patched.
"""

import dis
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from queue import Queue, SimpleQueue
from types import CodeType, FrameType, FunctionType
from typing import Any, Final, NamedTuple, final

from vcr_gen.runtime.strands.frames import frames_from, is_neutral, is_ours, is_tool

__all__ = ["Taken", "taken_at"]

_TAKEN: Final[dict[str, tuple[type, ...]]] = {
    "get": (Queue, SimpleQueue),
    "get_nowait": (Queue, SimpleQueue),
    "pop": (list, deque, set),
    "popleft": (deque,),
    "popitem": (dict,),
    "next": (Iterator,),
}
"""What one takes from, by the name of what takes."""


class Taken(NamedTuple):
    """What a thread has taken."""

    code: CodeType
    """The function that took it."""
    item: object


@final
@dataclass(frozen=True, slots=True)
class _Taking:
    """A place in a function where something is taken."""

    path: tuple[str, ...]
    """Of what: the name of a variable, and then of attributes."""
    how: str
    """By which method or function."""
    kept: str
    """The variable that has it then; empty where none does."""

    def is_of_store(self, variables: Any, outside: Any) -> bool:
        """Whether it is taken from something that others may take from, too."""
        value: object = variables.get(self.path[0], outside.get(self.path[0]))
        for name in self.path[1:]:
            value = getattr(value, "__dict__", {}).get(name)
        if self.how in _TAKEN:
            return isinstance(value, _TAKEN[self.how])
        method = getattr(type(value), "__dict__", {}).get(self.how)
        return isinstance(method, FunctionType) and any(
            taking.how in _TAKEN and taking.is_of_store({taking.path[0]: value}, {})
            for taking in _takings(method.__code__)
            if taking.path[0] == "self"
        )


def taken_at(frame: FrameType | None) -> Taken | None:
    """What the innermost function has taken that works on something of the kind, if one does."""
    for at in frames_from(frame):
        for taking in _takings(at.f_code):
            if not taking.kept or is_ours(at) or is_neutral(at) or is_tool(at):
                continue
            variables = at.f_locals
            if taking.kept in variables and taking.is_of_store(variables, at.f_globals):
                return Taken(at.f_code, variables[taking.kept])
    return None


@lru_cache(maxsize=512)
def _takings(code: CodeType) -> tuple[_Taking, ...]:
    """What a function takes from what it did not make itself."""
    if _TAKEN.keys().isdisjoint(code.co_names) and "self" not in code.co_varnames[:1]:
        return ()
    own = set(code.co_varnames[code.co_argcount + code.co_kwonlyargcount :])
    steps = [(step.opname, step.argval) for step in dis.get_instructions(code)]
    found = (
        _Taking(path, how, _kept(steps[at:]))
        for at, path, how in _paths_taken(steps)
        if path and path[0] not in own
    )
    return tuple(dict.fromkeys(found))


def _paths_taken(steps: list[tuple[str, Any]]) -> Iterator[tuple[int, tuple[str, ...], str]]:
    """Where `jobs.get()`, `next(self.jobs)` or `self.another()` stands: of what, and how."""
    path: tuple[str, ...] = ()
    asked = False
    for at, (step, argument) in enumerate(steps):
        # Python 3.13 loads two variables in one step.
        name = argument[-1] if step == "LOAD_FAST_LOAD_FAST" else argument
        if step in ("LOAD_ATTR", "LOAD_METHOD"):
            if name in _TAKEN or path == ("self",):
                yield at, path, name
            path = (*path, name) if path else ()
        elif step != "PUSH_NULL":
            if asked:
                yield at, path, "next"
            asked = path == ("next",)
            is_name = step.startswith(("LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL"))
            path = (name,) if is_name else ()


def _kept(steps: list[tuple[str, Any]]) -> str:
    """The variable that has the outcome of what begins there."""
    for step, argument in steps:
        if step.startswith(("STORE_FAST", "STORE_DEREF")):
            return str(argument[0] if isinstance(argument, tuple) else argument)
        if step.startswith(("POP_TOP", "STORE", "RETURN")) and step != "STORE_GLOBAL":
            return ""
    return ""
