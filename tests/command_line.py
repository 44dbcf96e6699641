"""The command `vcr-gen`, run inside the process of the tests.

Starting Python and importing black, mypy and jinja2 costs a second; the command itself costs a few
hundredths. Tests of what only a process shows (signals, broken pipes, start-up cost, terminals)
start one.
"""

import gc
import io
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from vcr_gen.cli import main


@dataclass(frozen=True)
class Run:
    """The exit code of a command and what it printed."""

    code: int
    out: str
    err: str


def run_command(
    *arguments: str,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    merged: bool = False,
) -> Run:
    """Run `vcr-gen` in a folder as `python -m vcr_gen` would.

    `environment` replaces ours; with `merged`, both streams go to `out`.
    """
    environment = os.environ.copy() if environment is None else environment
    for name in ("PYTHONHASHSEED", "PYTHONIOENCODING"):
        assert environment.get(name) == os.environ.get(name), f"{name} needs a process"
    out = _text_file()
    err = out if merged else _text_file()
    with _isolated(), ExitStack() as stack:
        stdin = stack.enter_context(open(os.devnull, encoding="utf-8"))
        stack.enter_context(mock.patch.object(sys, "stdin", stdin))
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(err))
        stack.enter_context(mock.patch.dict(os.environ, environment, clear=True))
        stack.enter_context(chdir(cwd))
        code = main(list(arguments))
    return Run(code, _written(out), "" if merged else _written(err))


@contextmanager
def _isolated() -> Iterator[None]:
    """Restore the state of the process that a command could change."""
    path, modules = list(sys.path), set(sys.modules)
    interrupt, thresholds = signal.getsignal(signal.SIGINT), gc.get_threshold()
    recursion = sys.getrecursionlimit()
    try:
        with warnings.catch_warnings():
            yield
    finally:
        assert sys.path == path, "the command changed sys.path"
        assert signal.getsignal(signal.SIGINT) == interrupt
        assert gc.get_threshold() == thresholds
        assert sys.getrecursionlimit() == recursion
        foreign = {name for name in sys.modules.keys() - modules if _is_foreign(name)}
        assert not foreign, f"the command imported {foreign}"


def _is_foreign(name: str) -> bool:
    """Whether a module belongs to a project of a test: no command may import its code."""
    file = getattr(sys.modules[name], "__file__", None)
    return file is not None and not Path(file).is_relative_to(sys.prefix) and "pytest-of" in file


def _text_file() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")


def _written(file: io.TextIOWrapper) -> str:
    file.flush()
    buffer = file.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()
