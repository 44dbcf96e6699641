"""Exceptions of aiohttp that take more than a text: what the tape keeps, and how they are made."""

from typing import Any

from aiohttp import (
    ClientConnectorCertificateError,
    ClientConnectorError,
    ClientResponseError,
    RequestInfo,
    ServerFingerprintMismatch,
)
from aiohttp.client_exceptions import UnixClientConnectorError
from aiohttp.client_reqrep import ConnectionKey
from aiohttp.http_exceptions import HttpProcessingError
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL


def details_of(error: BaseException) -> dict[str, Any] | None:
    """What an exception holds besides its text; None if there is nothing."""
    found: dict[str, Any]
    match error:
        case ClientConnectorError():
            key, reason = error._conn_key, getattr(
                error, "_os_error", None
            )  # certificate errors of 3.12 have none
            found = {
                "host": key.host,
                "port": key.port,
                "is_ssl": key.is_ssl,
                "ssl": _plain_ssl(key.ssl),
                "errno": getattr(reason, "errno", None),
                "strerror": getattr(reason, "strerror", None),
            }
            if isinstance(error, UnixClientConnectorError):
                found["path"] = error.path
            return found
        case ClientResponseError():
            headers = [] if error.headers is None else error.headers.items()
            pairs = [[str(name), value] for name, value in headers]
            return {"status": error.status, "message": error.message, "headers": pairs}
        case HttpProcessingError():
            return {"code": error.code, "message": error.message}
        case ServerFingerprintMismatch():
            found = {"expected": error.expected, "got": error.got}
            return found | {"host": error.host, "port": error.port}
    return None


def rebuilt(
    cls: type[Any], details: dict[str, Any], cause: BaseException | None
) -> BaseException | None:
    """An exception with these details; None if its class needs none.

    The caller sets the `request_info` of a `ClientResponseError`.
    """
    if issubclass(cls, ClientConnectorError):
        key = ConnectionKey(
            host=details["host"],
            port=details["port"],
            is_ssl=details["is_ssl"],
            ssl=details["ssl"],
            proxy=None,
            proxy_auth=None,
            proxy_headers_hash=None,
        )
        reason: Any = OSError(details["errno"], details["strerror"])
        if isinstance(cause, OSError) or issubclass(cls, ClientConnectorCertificateError):
            reason = cause or reason
        if issubclass(cls, UnixClientConnectorError):
            return cls(details["path"], key, reason)
        return cls(key, reason)
    if issubclass(cls, ClientResponseError):
        nothing: CIMultiDict[str] = CIMultiDict()
        return cls(
            RequestInfo(URL(), "", CIMultiDictProxy(nothing)),
            (),
            status=details["status"],
            message=details["message"],
            headers=CIMultiDict(details["headers"]) if details["headers"] else None,
        )
    if issubclass(cls, HttpProcessingError):  # its subclasses want what their messages are made of
        error = cls.__new__(cls, details["message"])
        error.code, error.message = details["code"], details["message"]
        return error
    if issubclass(cls, ServerFingerprintMismatch):
        return cls(**details)
    return None


def _plain_ssl(ssl: object) -> object:
    """How the text of the exception shows the setting."""
    return ssl if isinstance(ssl, bool | None) else str(ssl)
