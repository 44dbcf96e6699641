"""Sees whether a fixture set up on top of the cassette may use it while it is torn down."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

__all__ = ["Dependents"]


class Dependents:
    """The fixtures of the running test that have the cassette, from wherever they got it.

    When none of them has a teardown, the tape can be ended with the test itself, so that leftover
    events are a failure of the test rather than an error after it.
    """

    def __init__(self, fixture: str) -> None:
        self._fixture = fixture
        self._names: set[str] = set()
        self._active: list[pytest.FixtureDef[Any]] = []
        self.may_use_later = False

    def reset(self) -> None:
        """Another test begins."""
        self._names.clear()
        self._active.clear()
        self.may_use_later = False

    @contextmanager
    def setting_up(self, definition: pytest.FixtureDef[Any]) -> Iterator[None]:
        """A fixture is set up."""
        if definition.argname == self._fixture:
            # Whoever asks for it while being set up itself does so through `request`.
            self._names = {self._fixture}
            for asking in self._active:
                self._add(asking)
        elif self._names and not self._names.isdisjoint(definition.argnames):
            self._add(definition)
        self._active.append(definition)
        try:
            yield
        finally:
            if self._active:
                self._active.pop()

    def _add(self, definition: pytest.FixtureDef[Any]) -> None:
        self._names.add(definition.argname)
        if _has_teardown(definition):
            self.may_use_later = True


def _has_teardown(definition: pytest.FixtureDef[Any]) -> bool:
    function = definition.func
    return (
        inspect.isgeneratorfunction(function)
        or inspect.isasyncgenfunction(function)
        or "request" in definition.argnames
    )
