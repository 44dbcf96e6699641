"""Exceptions of client libraries on the tape: the name of the class, the text, and the cause.

The exceptions themselves hold connections, pools and requests, which cannot be stored.
"""

import sys
from typing import Any, Final

from vcr_gen.boundaries.http.exchanges import Failure, HttpError

_MODULES: Final = (
    "builtins",
    "socket",
    "ssl",
    "http.client",
    "httpx",
    "httpx2",
    "httpcore",
    "httpcore2",
    "requests.exceptions",
    "urllib3.exceptions",
    "aiohttp",
    "anyio",
    "h11",
    "aiohttp.client_exceptions",
    "aiohttp.http_exceptions",
    "websockets.exceptions",
)
"""Where a class named in a cassette is looked for, if the program has imported the module."""
_DEEPEST: Final = 5


def failure_of(error: BaseException) -> HttpError:
    """The exception of an exchange, with what the tape keeps of it."""
    return HttpError(_described(error, _DEEPEST), error)


def _described(error: BaseException, depth: int) -> Failure:
    cls = type(error)
    names = [
        f"{module}.{cls.__name__}" for module in _MODULES if _find(module, cls.__name__) is cls
    ]
    cause, message = error.__cause__, str(error)
    return Failure(
        error=names[0] if names else f"{cls.__module__}.{cls.__qualname__}",
        message=message,
        details=_details(error),
        cause=None if cause is None or not depth else _described(cause, depth - 1),
        arguments=None if error.args == (message,) else _arguments(error, depth),
    )


def _arguments(error: BaseException, depth: int) -> tuple[str | int | bytes | Failure, ...] | None:
    """The arguments of an exception if all can be stored, such as the number of an OSError."""
    stored: list[str | int | bytes | Failure] = []
    for argument in error.args:
        if isinstance(argument, str | int | bytes) and type(argument) in (str, int, bytes):
            stored.append(argument)
        elif isinstance(argument, Exception) and depth:
            stored.append(_described(argument, depth - 1))
        else:
            return None
    return tuple(stored) or None


def error_of(failed: HttpError) -> BaseException:
    """The exception that the program gets: the original one, or its equal in a replay."""
    return failed.original or _rebuilt(failed.failure) or failed


def _details(error: BaseException) -> dict[str, Any] | None:
    special = _special(type(error).__module__)
    details: dict[str, Any] | None = None if special is None else special.details_of(error)
    return details


def _special(module: str) -> Any:
    """The module that knows the exceptions of a library that take more than a text, if any."""
    match module.partition(".")[0]:
        case "aiohttp":
            from vcr_gen.boundaries.http import aiohttp_failures

            return aiohttp_failures
        case "websockets":
            from vcr_gen.boundaries.http import websocket_failures

            return websocket_failures
    return None


def _rebuilt(failure: Failure) -> BaseException | None:
    module, _, name = failure.error.rpartition(".")
    cls = _find(module, name) if module in _MODULES else None
    if cls is None:
        return None
    cause = None if failure.cause is None else _rebuilt(failure.cause)
    error = _detailed(cls, failure, cause)
    if error is None:
        error = _made(cls, _rebuilt_arguments(failure) or (failure.message,))
        if _text(error) != failure.message:  # its class makes the text from more than arguments
            error = _made(cls, (failure.message,))
    error.__cause__ = cause
    return error


def _detailed(
    cls: type[Any], failure: Failure, cause: BaseException | None
) -> BaseException | None:
    """An exception that takes more than a text."""
    if failure.details is None:
        return None
    error: BaseException | None = _special(failure.error).rebuilt(cls, failure.details, cause)
    return error


def _rebuilt_arguments(failure: Failure) -> tuple[object, ...]:
    """The arguments of an exception; none if they cannot be rebuilt."""
    arguments = [
        _rebuilt(argument) if isinstance(argument, Failure) else argument
        for argument in failure.arguments or ()
    ]
    return () if None in arguments else tuple(arguments)


def _made(cls: type[BaseException], arguments: tuple[object, ...]) -> BaseException:
    try:
        return cls(*arguments)
    except TypeError:  # many classes of urllib3 want a pool to make their text from
        error = cls.__new__(cls, *arguments)
        error.args = arguments
        return error


def _text(error: BaseException) -> str | None:
    try:
        return str(error)
    except Exception:  # it was made without the attributes that its text needs
        return None


def _find(module: str, name: str) -> Any:
    cls = getattr(sys.modules.get(module), name, None)
    return cls if isinstance(cls, type) and issubclass(cls, Exception) else None
