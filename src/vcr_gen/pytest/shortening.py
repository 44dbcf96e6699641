"""Failures as users want to see them: their own frames, not the recorder's."""

import gc
from typing import TypeAlias

import pytest

from vcr_gen.errors import DivergenceError, VcrError
from vcr_gen.pytest.words import PREFIX

__all__ = ["shorten", "unittest_errors"]

_Info: TypeAlias = pytest.ExceptionInfo[BaseException]


def shorten(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Show the frames of the user alone, unless all were asked for."""
    if item.config.getoption("fulltrace", False):
        return
    if call.excinfo is not None:
        call.excinfo = _user_frames(item, call.excinfo)
    errors = unittest_errors(item)
    errors[:] = [_user_frames(item, error) for error in errors]


def unittest_errors(item: pytest.Item) -> list[_Info]:
    """What a test of unittest raised; pytest reports one of them in each phase."""
    return getattr(item, "_excinfo", None) or []


def _user_frames(item: pytest.Item, info: _Info) -> _Info:
    """The same error, with the frames of the user alone."""
    error = info.value
    uses_a_tape = any(name.startswith(PREFIX) for name in getattr(item, "fixturenames", ()))
    if not uses_a_tape and not isinstance(error, VcrError | DivergenceError):
        return info
    from vcr_gen.runtime.failures.tracebacks import hide_our_frames

    hide_our_frames(error, pytest.fail.Exception)
    if isinstance(error, DivergenceError):
        # Tasks that nobody waits for hold it too. When they are collected, asyncio logs their
        # tracebacks; while pytest parses source, as it is about to, that would end the run with
        # a SystemError (CPython's ast module does not nest).
        gc.collect()
    return info if error.__traceback__ is None else pytest.ExceptionInfo.from_exception(error)
