"""Exceptions, built in every way, that the codec's tests store."""

from __future__ import annotations

from dataclasses import dataclass


class PlainError(Exception):
    pass


class CodeError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class SlotsError(Exception):
    __slots__ = ("detail",)

    def __init__(self, detail: str) -> None:
        super().__init__()
        self.detail = detail


@dataclass
class DataError(Exception):
    code: int
    where: list[str]


@dataclass(frozen=True)
class FrozenError(Exception):
    code: int


class KeywordError(RuntimeError):
    def __init__(self, *, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


class DiskError(OSError):
    def __init__(self, path: str, *, fatal: bool) -> None:
        super().__init__(5, "I/O", path)
        self.fatal = fatal
