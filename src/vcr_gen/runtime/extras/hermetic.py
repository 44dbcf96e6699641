"""Hermetic replays: detects I/O outside the boundaries.

In a replay the boundaries touch nothing. A connection, a process or a file that the program opens
nevertheless bypasses them: it is on no tape, and nothing asserts it. Python's audit events report
it.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import FrameType
from typing import Any, Final, Literal, TypeAlias, final, get_args

from vcr_gen.errors import HermeticError, UsageError
from vcr_gen.runtime.boundary.spec import Boundary
from vcr_gen.runtime.extras.audit_events import Attempt, attempt_of
from vcr_gen.runtime.strands.frames import (
    PYTHON_ROOTS,
    frames_from,
    is_import,
    is_neutral,
    is_ours,
    is_tool,
)

__all__ = ["Guard", "Hermetic", "HermeticWarning"]

Action: TypeAlias = Literal["warn", "fail"]


class HermeticWarning(UserWarning):
    """In a replay, the program bypassed its boundaries."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Hermetic:
    """The policy for I/O outside the boundaries of a replay, and the allowed exceptions."""

    action: Action = "fail"
    """`fail`: the attempt raises, and so does closing the cassette. `warn`: a warning at close."""
    files: tuple[str | PathLike[str], ...] = ()
    """Files and folders that may be read and written."""
    readable: tuple[str | PathLike[str], ...] = ()
    """Files and folders that may only be read."""
    hosts: tuple[str, ...] = ()
    """Hosts and `host:port` pairs that may be looked up and connected to."""
    programs: tuple[str, ...] = ()
    """Names of programs that may be started."""

    def __post_init__(self) -> None:
        if self.action not in get_args(Action):
            raise UsageError(f"hermetic: expected 'warn' or 'fail'; got {self.action!r}")
        for name in ("files", "readable", "hosts", "programs"):
            if isinstance(getattr(self, name), str):
                raise UsageError(f"hermetic: `{name}` is a tuple of them; got one string")


@final
@dataclass(frozen=True, slots=True)
class Finding:
    """One attempt that bypassed the boundaries."""

    attempt: Attempt
    stack: tuple[str, ...]
    """Where it came from: the frames outside of Python's library, innermost first."""


@final
class Guard:
    """Watches this process from the opening of a replay to its close."""

    def __init__(
        self,
        policy: Hermetic,
        path: Path,
        boundaries: Mapping[str, Boundary],
        hide: Callable[[str], str],
    ) -> None:
        """Begin to watch; `hide` takes the secrets out of a message."""
        self._policy = policy
        self._hide = hide
        self._path = path
        self._boundaries = boundaries
        self._writable = _roots(policy.files)
        self._readable = (*_roots(policy.readable), *self._writable, *_python_own())
        self._found: dict[Finding, None] = {}
        self._raised: HermeticError | None = None
        _WATCH.add(self)

    def meet(self, attempt: Attempt, frame: FrameType) -> None:
        """Report or prevent an attempt, unless it is allowed."""
        if self._allows(attempt):
            return
        stack = _application_stack(frame)
        if stack is None:
            return
        finding = Finding(attempt, stack)
        self._found[finding] = None
        if self._policy.action == "fail":
            self._raised = self._raised or self._error(finding)
            raise self._error(finding)

    def stop(self) -> None:
        """Stop watching."""
        _WATCH.remove(self)

    def report(self) -> None:
        """Report the attempts; called once, at the end of the session."""
        if self._raised is not None:
            raise self._raised
        import warnings

        for finding in self._found:
            warnings.warn(self._text(finding), HermeticWarning, stacklevel=6)

    def _error(self, finding: Finding) -> HermeticError:
        attempt = finding.attempt
        return HermeticError(
            self._text(finding),
            kind=attempt.kind,
            target=self._hide(attempt.target),
            stack=finding.stack,
        )

    def _allows(self, attempt: Attempt) -> bool:
        target = attempt.target
        match attempt.kind:
            case "connection":
                return target in self._policy.hosts or (
                    target.rpartition(":")[0] in self._policy.hosts
                )
            case "name look-up":
                return any(target in (host, host.rpartition(":")[0]) for host in self._policy.hosts)
            case "process":
                return target in self._policy.programs
            case "file written":
                return target == os.devnull or _is_under(target, self._writable)
            case "file read":
                return _is_under(target, self._readable)

    def _text(self, finding: Finding) -> str:
        attempt = finding.attempt
        outbound = sorted(
            name for name, each in self._boundaries.items() if each.direction == "outbound"
        )
        what = self._hide(attempt.what)  # before it is cut: half a key is not known as one
        what = what if len(what) <= _LONGEST else f"{what[: _LONGEST - 1]}…"
        lines = [f"{self._path}: the replay bypassed its boundaries: {what}", ""]
        lines += [f"  at {place}" for place in finding.stack] or ["  in a thread of a library"]
        lines.append("")
        if outbound:
            lines.append(f"outbound boundaries of this session: {', '.join(outbound)}")
        lines.append(f"hint: {_HINTS[attempt.kind]}")
        return "\n".join(lines)


_HINTS: Final[Mapping[str, str]] = {
    "connection": "let the program connect through an @outbound Protocol for this service, whose "
    "bridge makes the connection; or allow it: Hermetic(hosts=(…,))",
    "name look-up": "let the program ask through an @outbound Protocol for this service, whose "
    "bridge looks names up; or allow it: Hermetic(hosts=(…,))",
    "process": "let the program run it through an @outbound Protocol, such as a `Shell` with "
    "`run`, whose bridge starts processes; or allow it: Hermetic(programs=(…,))",
    "file written": "let the program write through an @outbound Protocol, such as `Files` with "
    "`write`, whose bridge opens files; or allow it: Hermetic(files=(…,))",
    "file read": "let the program read through an @outbound Protocol, such as `Files` with "
    "`read`, whose bridge opens files; or allow it: Hermetic(readable=(…,))",
}


@final
class _Watch:
    """The only audit hook of this process. It comes with the first guard and cannot be removed.

    While no guard is at work it returns at once.
    """

    def __init__(self) -> None:
        self._guards: tuple[Guard, ...] = ()
        self._installed = False
        self._lock = threading.Lock()
        self._busy = threading.local()

    def add(self, guard: Guard) -> None:
        """Pass what happens to a guard."""
        with self._lock:
            self._guards = (*self._guards, guard)
            if not self._installed:
                self._installed = True
                sys.addaudithook(self._hear)

    def remove(self, guard: Guard) -> None:
        """Stop passing it on."""
        with self._lock:
            self._guards = tuple(each for each in self._guards if each is not guard)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        guards = self._guards
        if not guards or getattr(self._busy, "here", False):
            return
        self._busy.here = True  # what is done here must not be reported again
        try:
            attempt = attempt_of(event, arguments)
            if attempt is not None:
                for guard in guards:
                    guard.meet(attempt, sys._getframe(1))
        finally:
            self._busy.here = False


_WATCH: Final = _Watch()


def _application_stack(frame: FrameType) -> tuple[str, ...] | None:
    """The frames that led to an attempt; None if it is not the application's.

    The innermost frame outside of Python's library decides.
    """
    places: list[str] = []
    decided = False
    for each in frames_from(frame):
        if is_import(each):
            return None
        if is_neutral(each):
            if not decided and each.f_code.co_filename.endswith(_SOURCE_READERS):
                return None
            continue
        tool = is_tool(each)
        if not decided and (tool or is_ours(each)):
            return None
        if tool:  # the runner: what called it has nothing to do with the application
            break
        decided = True
        if not is_ours(each) and len(places) < _DEPTH:
            code = each.f_code
            places.append(f"{code.co_filename}:{each.f_lineno} in {code.co_name}")
    return tuple(places)


def _roots(paths: Iterable[str | PathLike[str]]) -> tuple[str, ...]:
    """Absolute paths, both as given and with links resolved."""
    absolute = [os.path.abspath(os.path.expanduser(path)) for path in paths]
    return tuple({each for path in absolute for each in (path, os.path.realpath(path))})


def _python_own() -> tuple[str, ...]:
    """What Python itself reads for a program: its library, time zones, types of files."""
    import mimetypes
    import zoneinfo

    prefixes = (sys.prefix, sys.base_prefix, sys.exec_prefix)
    paths = (*PYTHON_ROOTS, *prefixes, *zoneinfo.TZPATH, *mimetypes.knownfiles, *_DEVICES)
    return _roots(path for path in paths if path not in ("/", "/usr", "/usr/"))


def _is_under(target: str, roots: Iterable[str]) -> bool:
    return any(target == root or target.startswith(f"{root}/") for root in roots)


_DEPTH: Final = 12
_LONGEST: Final = 400
_DEVICES: Final = (os.devnull, "/dev/tty", "/dev/random", "/dev/urandom", "/etc/localtime")
_SOURCE_READERS: Final = ("/linecache.py", "/inspect.py", "/traceback.py")
"""Parts of Python's library that read the program's own source, for tracebacks."""
