"""Reads Python's audit events: connections, processes and files of a program."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

__all__ = ["Attempt", "AttemptKind", "attempt_of"]

AttemptKind: TypeAlias = Literal[
    "connection", "name look-up", "process", "file written", "file read"
]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One thing that a program is about to do outside of itself."""

    kind: AttemptKind
    target: str
    """The address, host, program or path."""
    what: str
    """The attempt in words."""


def attempt_of(event: str, arguments: tuple[Any, ...]) -> Attempt | None:
    """The attempt that an audit event announces, if it is one."""
    read = _EVENTS.get(event)
    return None if read is None else read(event, arguments)


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
    host = arguments[0][0] if isinstance(arguments[0], tuple) else arguments[0]
    if host is None:
        return None
    return Attempt("name look-up", _text(host), f"a name look-up of {_text(host)}")


def _process(event: str, arguments: tuple[Any, ...]) -> Attempt:
    if event in ("os.fork", "os.forkpty"):
        return Attempt("process", "fork", "a process: a fork of this one")
    program, command = _text(arguments[0]), arguments[1] if len(arguments) > 1 else None
    if event == "os.system":
        words: list[str] = program.split()
    elif isinstance(command, list | tuple):
        words = [_text(word) for word in command]
    else:
        words = [_text(command)] if isinstance(command, str | bytes) else [program]
    return Attempt("process", os.path.basename(words[0] if words else program), _command(words))


def _command(words: list[str]) -> str:
    import shlex

    return f"a process: {shlex.join(words)}"


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
        return Attempt("file written", target, f"a file opened for writing: {target}")
    return Attempt("file read", target, f"a file opened for reading: {target}")


def _changed(event: str, arguments: tuple[Any, ...]) -> Attempt | None:
    if isinstance(arguments[0], int):
        return None
    target = os.path.abspath(_text(arguments[0]))
    return Attempt("file written", target, f"a change of the file system: {event} {target}")


def _database(event: str, arguments: tuple[Any, ...]) -> Attempt | None:
    del event
    name = _text(arguments[0])
    if name == ":memory:" or not name:
        return None
    target = os.path.abspath(name.removeprefix("file:"))
    return Attempt("file written", target, f"a database file: {target}")


def _text(value: object) -> str:
    if isinstance(value, str | bytes | os.PathLike):
        return os.fsdecode(value)
    return str(value)


_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_EVENTS: Final[Mapping[str, Callable[[str, tuple[Any, ...]], Attempt | None]]] = {
    **dict.fromkeys(("socket.connect", "socket.sendto", "socket.sendmsg"), _connection),
    **dict.fromkeys(
        (
            "socket.getaddrinfo",
            "socket.gethostbyaddr",
            "socket.gethostbyname",
            "socket.getnameinfo",
        ),
        _look_up,
    ),
    **dict.fromkeys(
        (
            "os.exec",
            "os.fork",
            "os.forkpty",
            "os.posix_spawn",
            "os.spawn",
            "os.startfile",
            "os.system",
            "subprocess.Popen",
        ),
        _process,
    ),
    "open": _opened,
    **dict.fromkeys(
        (
            "os.link",
            "os.mkdir",
            "os.remove",
            "os.rename",
            "os.rmdir",
            "os.symlink",
            "os.truncate",
        ),
        _changed,
    ),
    "sqlite3.connect": _database,
}
