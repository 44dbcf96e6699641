"""Standard types that are stored as one readable text: UUID, Decimal, paths, addresses, dates."""

from __future__ import annotations

import datetime as dt
import ipaddress
import os
import pathlib
import re
import types
import uuid
import zoneinfo
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import ClassVar, Final, Generic, TypeVar

from vcr_gen.runtime.codec import moments
from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.node import ClassNode, Node, Nodes
from vcr_gen.runtime.codec.plain_kinds import STR, Plain
from vcr_gen.runtime.codec.scalars import ESCAPED, str_from_plain, str_to_plain

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TextForm(Generic[T]):
    """How the values of a type are written and read; what reads back must be written the same."""

    cls: type[T]
    name: str
    write: Callable[[T], str]
    read: Callable[[str], T]
    promoted: tuple[type, ...] = ()
    """Types that may stand in without being subclasses: int and float for complex."""


class TextNode(ClassNode):
    """Stores values of one class as text."""

    kinds = frozenset({STR, ESCAPED})
    is_open: ClassVar[bool] = False

    def __init__(
        self, nodes: Nodes, form: TextForm[T], *, name: str | None = None, base: type | None = None
    ) -> None:
        def promote(cls: type) -> Callable[[], Node]:
            return lambda: nodes.node(cls)

        alternatives = {cls: promote(cls) for cls in form.promoted}
        super().__init__(nodes, form.cls, name or form.name, base=base, alternatives=alternatives)

        def write(value: object) -> str:
            assert isinstance(value, form.cls)
            return form.write(value)

        self._write: Final = write
        self._read: Final = form.read

    def bare(self, value: object) -> Plain:
        """The text of a value."""
        try:
            return str_to_plain(self._write(value))
        except ValueError as error:
            raise Fault(f"a {self.name} that can be written as text", str(error)) from error

    def restore(self, plain: Plain) -> object:
        """Restore a value from its text."""
        text = str_from_plain(plain, expected=self.name)
        try:
            value = self._read(text)
            if self._write(value) == text:
                return value
        except (ValueError, ArithmeticError, InvalidOperation, KeyError, OSError, TypeError):
            pass
        raise Fault(self.name, show(text))


_FRACTION: Final = re.compile(r"-?[0-9]+(/[0-9]+)?")


def _read_fraction(text: str) -> Fraction:
    if not _FRACTION.fullmatch(text):  # `Fraction` also reads `1e999999999`, which takes for ever
        raise ValueError(text)
    return Fraction(text)


def _read_ellipsis(text: str) -> types.EllipsisType:
    if text != "...":
        raise ValueError(text)
    return ...


FormOf = Callable[[Nodes], TextNode]


def _form(
    cls: type[T],
    name: str,
    write: Callable[[T], str],
    read: Callable[[str], T],
    promoted: tuple[type, ...] = (),
) -> tuple[type, FormOf]:
    form = TextForm(cls, name, write, read, promoted)
    return cls, lambda nodes: TextNode(nodes, form)


def _path(declared: type, form: TextForm[T]) -> tuple[type, FormOf]:
    """A path under a declared class that makes values of another: `Path()` is a `PosixPath`."""
    name = f"{declared.__module__}.{declared.__qualname__}"
    return declared, lambda nodes: TextNode(nodes, form, name=name, base=declared)


_PATH: Final = TextForm(type(pathlib.Path()), "pathlib.Path", str, pathlib.Path)
_PURE_PATH: Final = TextForm(type(pathlib.PurePath()), "pathlib.PurePath", str, pathlib.PurePath)

TEXT_NODES: Final[dict[type, FormOf]] = dict(
    [
        _form(complex, "complex", str, complex, (int, float, bool)),
        _form(types.EllipsisType, "types.EllipsisType", lambda _: "...", _read_ellipsis),
        _form(Decimal, "decimal.Decimal", str, Decimal),
        _form(Fraction, "fractions.Fraction", str, _read_fraction),
        _form(uuid.UUID, "uuid.UUID", str, uuid.UUID),
        _form(dt.date, "datetime.date", dt.date.isoformat, dt.date.fromisoformat),
        _form(dt.datetime, "datetime.datetime", moments.write_datetime, moments.read_datetime),
        _form(dt.time, "datetime.time", moments.write_time, moments.read_time),
        _form(dt.timedelta, "datetime.timedelta", str, moments.read_delta),
        _form(dt.timezone, "datetime.timezone", moments.write_timezone, moments.read_timezone),
        _form(zoneinfo.ZoneInfo, "zoneinfo.ZoneInfo", moments.write_zone, zoneinfo.ZoneInfo),
        _path(pathlib.PurePath, _PURE_PATH),
        _path(pathlib.Path, _PATH),
        _path(os.PathLike, _PATH),
        _form(pathlib.PurePosixPath, "pathlib.PurePosixPath", str, pathlib.PurePosixPath),
        _form(pathlib.PureWindowsPath, "pathlib.PureWindowsPath", str, pathlib.PureWindowsPath),
        _form(type(pathlib.Path()), "pathlib.Path", str, pathlib.Path),
        _form(ipaddress.IPv4Address, "ipaddress.IPv4Address", str, ipaddress.IPv4Address),
        _form(ipaddress.IPv6Address, "ipaddress.IPv6Address", str, ipaddress.IPv6Address),
        _form(ipaddress.IPv4Network, "ipaddress.IPv4Network", str, ipaddress.IPv4Network),
        _form(ipaddress.IPv6Network, "ipaddress.IPv6Network", str, ipaddress.IPv6Network),
        _form(ipaddress.IPv4Interface, "ipaddress.IPv4Interface", str, ipaddress.IPv4Interface),
        _form(ipaddress.IPv6Interface, "ipaddress.IPv6Interface", str, ipaddress.IPv6Interface),
    ]
)
"""For each class, the node that writes it."""
