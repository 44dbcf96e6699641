"""What live objects other than boundaries have: a kind, and a wrapper whose uses are calls."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, final

from vcr_gen.runtime.boundary.port import Link
from vcr_gen.runtime.boundary.spec import Method
from vcr_gen.runtime.loops.backends import as_answer

__all__ = ["Live", "LiveKind", "Methods", "exit_arguments", "seen"]

Methods: TypeAlias = Mapping[str, Method]


@final
@dataclass(frozen=True, slots=True)
class LiveKind:
    """A kind of live object: its word on the tape, what it can do, and its wrapper."""

    word: str
    methods: Methods
    wrap: Callable[[Link, Methods, Any], Any]
    use: Callable[[Any, str, Mapping[str, object]], Any]
    """Uses a wrapper as a recorded call says."""
    fits: Callable[[object], bool]
    rank: Callable[[object], int] = lambda _: 0
    """How well an object matches, for a union: the lowest is best."""


class Live:
    """The wrapper of a live object, whose uses are calls."""

    def __init__(self, link: Link, methods: Methods, real: Any) -> None:
        self._link = link
        self._methods = methods
        self._real = real


def exit_arguments(error: BaseException | None) -> tuple[object, object, object]:
    """The arguments of `__exit__`."""
    return (None, None, None) if error is None else (type(error), error, error.__traceback__)


def seen(error: BaseException | None) -> dict[str, object]:
    """The recorded argument of an exit: the exception that left the block."""
    return {"exception": None if error is None else as_answer(error)}
