"""Hermetic replays: detects I/O outside the boundaries.

In a replay the boundaries touch nothing. A connection, a process or a file that the program opens
anyway bypasses them: it is on no tape, and nothing asserts it. Python's audit events report it.
"""

import os
import shlex
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import FrameType
from typing import Any, Final, Literal, TypeAlias, final, get_args

from vcr_gen.errors import HermeticError, UsageError
from vcr_gen.runtime.boundary.spec import Boundary
from vcr_gen.runtime.strands.stack_frames import (
    PYTHON_ROOTS,
    frames_from,
    is_import,
    is_neutral,
    is_ours,
    is_tool,
)

Action: TypeAlias = Literal["warn", "fail"]
Kind: TypeAlias = Literal["connection", "process", "file"]

_HINTS: Final[Mapping[Kind, str]] = {
    "connection": "let the program connect through an @outbound Protocol for this service, whose "
    "bridge makes the connection; or allow it: Hermetic(hosts=(…,))",
    "process": "let the program run it through an @outbound Protocol, such as a `Shell` with "
    "`run`, whose bridge starts processes; or allow it: Hermetic(programs=(…,))",
    "file": "let the program use files through an @outbound Protocol, such as `Files` with `read` "
    "and `write`, whose bridge opens files; or allow it: Hermetic(files=(…,))",
}
_DEPTH: Final = 12
_LONGEST: Final = 400
_DEVICES: Final = (os.devnull, "/dev/tty", "/dev/random", "/dev/urandom", "/etc/localtime")
_SOURCE_READERS: Final = ("/linecache.py", "/inspect.py", "/traceback.py")
"""Parts of Python's library that read the program's own source, for tracebacks."""


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
    hosts: tuple[str, ...] = ()
    """Hosts and `host:port` pairs that may be looked up and connected to."""
    programs: tuple[str, ...] = ()
    """Names of programs that may be started."""

    def __post_init__(self) -> None:
        if self.action not in get_args(Action):
            raise UsageError(f"hermetic: expected 'warn' or 'fail'; got {self.action!r}")
        for name in ("files", "hosts", "programs"):
            if isinstance(getattr(self, name), str):
                raise UsageError(f"hermetic: `{name}` must be a tuple of strings; got one string")


@final
@dataclass(frozen=True, slots=True)
class Attempt:
    """One thing that a program is about to do outside of itself."""

    kind: Kind
    target: str
    """The address, host, program or path."""
    what: str
    """The attempt in words."""
    only_reads: bool = False
    """Whether a file is opened for reading."""


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
        self._files = (*_roots(policy.files), os.devnull)
        self._readable = (*self._files, *_python_own())
        self._warnings: dict[str, None] = {}
        self._raised: HermeticError | None = None
        _WATCH.add(self)

    def meet(self, attempt: Attempt, frame: FrameType) -> None:
        """Report or prevent an attempt, unless it is allowed."""
        if self._allows(attempt):
            return
        stack = _application_stack(frame)
        if stack is None:
            return
        text = self._text(attempt, stack)
        if self._policy.action == "warn":
            self._warnings[text] = None
            return
        target = self._hide(attempt.target)
        error = HermeticError(text, kind=attempt.kind, target=target, stack=stack)
        self._raised = self._raised or error
        raise error

    def stop(self) -> None:
        """Stop watching."""
        _WATCH.remove(self)

    def report(self) -> None:
        """Report the attempts; called once, at the end of the session."""
        if self._raised is not None:
            raise self._raised
        for text in self._warnings:
            warnings.warn(text, HermeticWarning, stacklevel=6)

    def _allows(self, attempt: Attempt) -> bool:
        target = attempt.target
        match attempt.kind:
            case "connection":
                # `localhost:80` may be connected to, and its name may be looked up.
                hosts = self._policy.hosts
                return (
                    target in hosts
                    or target.rpartition(":")[0] in hosts
                    or any(target == host.rpartition(":")[0] for host in hosts)
                )
            case "process":
                return target in self._policy.programs
            case "file":
                roots = self._readable if attempt.only_reads else self._files
                return any(target == root or target.startswith(f"{root}/") for root in roots)

    def _text(self, attempt: Attempt, stack: tuple[str, ...]) -> str:
        outbound = sorted(
            name for name, each in self._boundaries.items() if each.direction == "outbound"
        )
        what = self._hide(attempt.what)  # before it is cut: half a key would not be recognized
        what = what if len(what) <= _LONGEST else f"{what[: _LONGEST - 1]}…"
        lines = [f"{self._path}: the replay bypassed its boundaries: {what}", ""]
        lines += [f"  at {place}" for place in stack] or ["  in a thread of a library"]
        lines.append("")
        if outbound:
            lines.append(f"outbound boundaries of this session: {', '.join(outbound)}")
        lines.append(f"hint: {_HINTS[attempt.kind]}")
        return "\n".join(lines)


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
            read = _EVENTS.get(event)
            attempt = read(event, arguments) if read is not None else None
            if attempt is not None:
                for guard in guards:
                    guard.meet(attempt, sys._getframe(1))
        finally:
            self._busy.here = False


_WATCH: Final = _Watch()


def _application_stack(frame: FrameType) -> tuple[str, ...] | None:
    """The frames that led to an attempt; None if the application did not make it.

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
    """Files that Python reads on its own: its library, time zones, types of files."""
    import mimetypes
    import zoneinfo

    prefixes = (sys.prefix, sys.base_prefix, sys.exec_prefix)
    paths = (*PYTHON_ROOTS, *prefixes, *zoneinfo.TZPATH, *mimetypes.knownfiles, *_DEVICES)
    return _roots(path for path in paths if path not in ("/", "/usr", "/usr/"))


def _connection(event: str, arguments: tuple[Any, ...]) -> Attempt | None:
    address = arguments[1]
    if isinstance(address, tuple) and len(address) >= 2:
        target = f"{address[0]}:{address[1]}"
    elif address:
        target = _text(address)
    else:  # a datagram on a socket that is connected: that was seen when it was
        return None
    doing = "a connection to" if event == "socket.connect" else "a datagram to"
    return Attempt("connection", target, f"{doing} {target}")


def _look_up(event: str, arguments: tuple[Any, ...]) -> Attempt | None:
    del event
    if arguments[0] is None:
        return None
    host = _text(arguments[0])
    return Attempt("connection", host, f"a name look-up of {host}")


def _process(event: str, arguments: tuple[Any, ...]) -> Attempt:
    if event == "os.fork":
        return Attempt("process", "fork", "a process: a fork of this one")
    program, command = _text(arguments[0]), arguments[1] if len(arguments) > 1 else None
    if event == "os.system":
        words = program.split()
    elif isinstance(command, list | tuple):
        words = [_text(word) for word in command]
    else:
        words = [_text(command)] if isinstance(command, str | bytes) else [program]
    name = os.path.basename(words[0] if words else program)
    return Attempt("process", name, f"a process: {shlex.join(words)}")


def _opened(event: str, arguments: tuple[Any, ...]) -> Attempt | None:
    del event
    path, mode, flags = arguments
    if isinstance(path, int) or path is None:  # something that is open already
        return None
    if _text(path).startswith("<"):  # Python's parser, looking for the text of `<unknown>`
        return None
    target = os.path.abspath(_text(path))
    writes = set(mode) & set("wax+") if isinstance(mode, str) else (flags or 0) & _WRITING
    if writes:
        return Attempt("file", target, f"a file opened for writing: {target}")
    return Attempt("file", target, f"a file opened for reading: {target}", only_reads=True)


def _changed(event: str, arguments: tuple[Any, ...]) -> Attempt | None:
    if isinstance(arguments[0], int):
        return None
    target = os.path.abspath(_text(arguments[0]))
    return Attempt("file", target, f"a change of the file system: {event} {target}")


def _database(event: str, arguments: tuple[Any, ...]) -> Attempt | None:
    del event
    name = _text(arguments[0])
    if name == ":memory:" or not name:
        return None
    target = os.path.abspath(name.removeprefix("file:"))
    return Attempt("file", target, f"a database file: {target}")


def _text(value: object) -> str:
    return os.fsdecode(value) if isinstance(value, str | bytes | os.PathLike) else str(value)


_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_STARTS: Final = ("exec", "fork", "posix_spawn", "spawn", "startfile", "system")
_CHANGES: Final = ("link", "mkdir", "remove", "rename", "rmdir", "symlink", "truncate")
_EVENTS: Final[Mapping[str, Callable[[str, tuple[Any, ...]], Attempt | None]]] = {
    "open": _opened,
    "socket.connect": _connection,
    "socket.getaddrinfo": _look_up,
    "socket.gethostbyaddr": _look_up,
    "socket.gethostbyname": _look_up,
    "socket.sendmsg": _connection,
    "socket.sendto": _connection,
    "sqlite3.connect": _database,
    "subprocess.Popen": _process,
    **{f"os.{name}": _process for name in _STARTS},
    **{f"os.{name}": _changed for name in _CHANGES},
}
"""Python's audit events, and what reads an attempt from them."""
