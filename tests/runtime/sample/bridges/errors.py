"""Exceptions of every sort that a bridge may raise."""

import asyncio

from sample.models import BoomError, FrozenError, OddError


def an_error(kind: str) -> BaseException:
    """One exception of each sort that a bridge may raise."""
    if kind == "boom":
        return BoomError(7, where="there")
    if kind == "notes":
        error = OddError("with", "notes", 3)
        error.add_note("first")
        error.add_note("second")
        return error
    if kind == "cause":
        error = OddError("effect")
        error.__cause__ = KeyError("cause")
        return error
    if kind == "attributes":
        error = OddError("attributes")
        error.extra = {"retry": 3, "hosts": ["a", "b"]}
        return error
    if kind == "group":
        return ExceptionGroup("several", [ValueError("one"), ExceptionGroup("in", [OddError(2)])])
    if kind == "ends":
        return BaseExceptionGroup("what ends more", [KeyboardInterrupt(), ValueError("one")])
    simple: dict[str, BaseException] = {
        "frozen": FrozenError(3),
        "file": FileNotFoundError(2, "No such file", "/nowhere/x"),
        "unicode": UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
        "stop": StopIteration("inside"),
        "timeout": TimeoutError(),
        "exit": SystemExit(3),
        "interrupt": KeyboardInterrupt(),
        "cancelled": asyncio.CancelledError("from within"),
    }
    return simple[kind]
