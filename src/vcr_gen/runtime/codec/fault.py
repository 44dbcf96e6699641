"""The fault that nodes raise for a value that does not fit, and its words for values and places."""

from __future__ import annotations

from typing import Final

SHOWN: Final = 60
DEEP: Final = 20


class Fault(Exception):  # noqa: N818 - internal; the public errors are EncodeError and DecodeError
    """What was expected and what was found; each container adds its step of the path."""

    def __init__(self, expected: str, got: str, hint: str = "") -> None:
        super().__init__(expected, got, hint)
        self.expected: Final = expected
        self.got: Final = got
        self.hint = hint
        self._steps: Final[list[str]] = []

    def within(self, step: str) -> Fault:
        """Add the step that leads from the container to the place."""
        self._steps.append(step)
        return self

    @property
    def facts(self) -> dict[str, str]:
        """The fields of an EncodeError or a DecodeError."""
        return {"path": self.path, "expected": self.expected, "got": self.got, "hint": self.hint}

    @property
    def path(self) -> str:
        """The place, such as `$.items[1].qty`."""
        steps = self._steps[::-1]
        if len(steps) > DEEP:  # a cycle: its entry and its continuation are enough
            steps = [*steps[: DEEP // 2], "…", *steps[-DEEP // 2 :]]
        return "$" + "".join(steps)


def step_to(key: object) -> str:
    """The step of a path to a field or a key."""
    if isinstance(key, str) and key.removeprefix("$").isidentifier():
        return f".{key}"
    return f"[{show(key)}]"


def show(value: object) -> str:
    """A short text for messages: scalars as they are, anything else by its type."""
    if value is None or value is ...:
        return repr(value)
    if type(value) is dict and isinstance(value.get("$type"), str):
        return f"a value tagged {_cut(value['$type'])}"
    if type(value) is int and not -(10**SHOWN) < value < 10**SHOWN:
        return "a huge int"
    if type(value) in (bool, int, float):
        return repr(value)
    if type(value) is str:
        return _cut(value)
    cls = type(value)
    return (
        cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
    )


def _cut(text: str) -> str:
    from vcr_gen.runtime.privacy import hidden  # it is made of what this package offers

    text = hidden(text)  # before it is cut: half a key would not be recognized
    return repr(text) if len(text) <= SHOWN else f"{text[:SHOWN]!r}…"
