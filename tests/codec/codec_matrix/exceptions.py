"""Exceptions, with what they carry."""

import json
import subprocess
import types
from typing import Any

import codec_errors as errors
import codec_library_models as lib

_group = ExceptionGroup("two", [ValueError(1), errors.CodeError(5, "five")])


def _caused(error: BaseException, cause: BaseException | None) -> BaseException:
    error.__cause__ = cause
    return error


def _noted(error: BaseException, *notes: str) -> BaseException:
    for note in notes:
        error.add_note(note)
    return error


EXCEPTIONS: dict[str, tuple[Any, object]] = {
    "exception": (Exception, ValueError("a", 1)),
    "exception exact": (ValueError, ValueError()),
    "exception own": (BaseException, errors.PlainError("a", (1, 2))),
    "exception own init": (Exception, errors.CodeError(5, "five")),
    "exception keyword init": (Exception, errors.KeywordError(status=5)),
    "exception slots": (Exception, errors.SlotsError("d")),
    "exception dataclass": (Exception, errors.DataError(1, ["a"])),
    "exception frozen dataclass": (Exception, errors.FrozenError(1)),
    "exception file not found": (OSError, FileNotFoundError(2, "no", "f.txt")),
    "exception two files": (OSError, OSError(18, "cross", "a", None, "b")),
    "exception os subclass": (OSError, errors.DiskError("p", fatal=True)),
    "exception unicode": (Exception, UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad")),
    "exception import": (Exception, ImportError("m", name="n", path="p")),
    "exception stop": (Exception, StopIteration(5)),
    "exception exit": (BaseException, SystemExit(3)),
    "exception key": (Exception, KeyError(("a", 1))),
    "exception timeout": (Exception, TimeoutError()),
    "exception json": (Exception, json.JSONDecodeError("bad", "doc", 1)),
    "exception process": (Exception, subprocess.CalledProcessError(1, ["ls"], "out", b"e")),
    "exception expired": (Exception, subprocess.TimeoutExpired("ls", 1.5)),
    "exception pydantic": (Exception, lib.validation_error(n="x")),
    "exception pydantic value": (Exception, lib.validation_error(n=1)),
    "exception pydantic custom": (Exception, lib.validation_error(n=2)),
    "exception notes": (Exception, _noted(ValueError("a"), "one", "two")),
    "exception cause": (
        Exception,
        _caused(ValueError("a"), _caused(KeyError("b"), OSError(1, "c"))),
    ),
    "exception from none": (Exception, _caused(ValueError("a"), None)),
    "exception group": (Exception, _group),
    "exception group nested": (BaseException, BaseExceptionGroup("g", [_group, SystemExit(1)])),
    "traceback": (types.TracebackType | None, None),
}
