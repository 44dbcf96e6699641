"""Standard types that are stored as one readable text: UUID, Decimal, paths, addresses, dates."""

from __future__ import annotations

import datetime as dt
import ipaddress
import os
import pathlib
import re
import sys
import types
import uuid
import zoneinfo
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import ClassVar, Final, Generic, TypeVar

from vcr_gen.runtime.codec.node import ClassNode, Node, Nodes
from vcr_gen.runtime.codec.plain_kinds import STR, Fault, Plain, show
from vcr_gen.runtime.codec.scalars import ESCAPED, str_from_plain, str_to_plain

PYDANTIC: Final = "pydantic"
"""The suffix of an offset for a time zone of pydantic."""

_MODULE: Final = "pydantic_core"
_CLASS: Final = "TzInfo"


def is_pydantics(zone: dt.tzinfo) -> bool:
    """Whether a zone is one of pydantic's own."""
    kind = type(zone)
    return kind.__name__ == _CLASS and kind.__module__.partition(".")[0] == _MODULE


def pydantics_zone(offset: dt.timedelta) -> dt.tzinfo:
    """The zone of an offset; only where the program has pydantic, as nothing is imported here."""
    made = getattr(sys.modules.get(_MODULE), _CLASS, None)
    if made is None:
        raise ValueError("a zone of pydantic, which is not imported")
    zone = made(offset.total_seconds())
    assert isinstance(zone, dt.tzinfo)
    return zone


_SUFFIX: Final = re.compile(
    r"(?P<iso>[^\[]*)(\[(?P<zone>[^\[\]=]+)\])?(\[=(?P<name>[^\[\]]*)\])?(?P<fold>\[fold=1\])?"
)
_DELTA: Final = re.compile(
    r"(?:(-?\d{1,9}) days?, )?(\d{1,2}):(\d\d):(\d\d)(?:\.(\d{6}))?", re.ASCII
)


def write_datetime(value: dt.datetime) -> str:
    """`2026-01-31T10:00:00+01:00`, or `2026-01-31T10:00:00[Europe/Paris]` for a named zone."""
    if (value.tzinfo is None or value.tzinfo is dt.UTC) and not value.fold:
        return value.isoformat()  # most of them
    naive = value.replace(tzinfo=None, fold=0)
    return naive.isoformat() + _write_zone(value.tzinfo) + ("[fold=1]" if value.fold else "")


def read_datetime(text: str) -> dt.datetime:
    """Parse a datetime."""
    if "[" not in text:
        return dt.datetime.fromisoformat(text)
    iso, zone, fold = _split(text)
    value = dt.datetime.fromisoformat(iso)
    return value.replace(tzinfo=zone or value.tzinfo, fold=fold)


def write_time(value: dt.time) -> str:
    """Like `write_datetime`, without the date."""
    naive = value.replace(tzinfo=None, fold=0)
    return naive.isoformat() + _write_zone(value.tzinfo) + ("[fold=1]" if value.fold else "")


def read_time(text: str) -> dt.time:
    """Parse a time of day."""
    iso, zone, fold = _split(text)
    value = dt.time.fromisoformat(iso)
    return value.replace(tzinfo=zone or value.tzinfo, fold=fold)


def write_timezone(value: dt.timezone) -> str:
    """`+02:00`, with the name when it has one of its own."""
    return _write_zone(value)


def read_timezone(text: str) -> dt.timezone:
    """Parse a fixed offset."""
    value = read_time(f"00:00:00{text}").tzinfo
    if not isinstance(value, dt.timezone):
        raise ValueError(text)
    return value


def write_zone(value: zoneinfo.ZoneInfo) -> str:
    """The name of the zone."""
    if not value.key:
        raise ValueError("a zone without a name")
    return value.key


def read_delta(text: str) -> dt.timedelta:
    """The duration `str(timedelta)` wrote."""
    found = _DELTA.fullmatch(text)
    if not found:
        raise ValueError(text)
    days, hours, minutes, seconds, micros = (int(part or 0) for part in found.groups())
    return dt.timedelta(days, seconds, micros, minutes=minutes, hours=hours)


def _split(text: str) -> tuple[str, dt.tzinfo | None, int]:
    found = _SUFFIX.fullmatch(text)
    if not found:
        raise ValueError(text)
    iso, key, name = found["iso"], found["zone"], found["name"]
    zone: dt.tzinfo | None = None
    if key == PYDANTIC:
        zone = pydantics_zone(_offset_of(iso))
    elif key is not None:
        zone = zoneinfo.ZoneInfo(key)
    elif name is not None:
        zone = dt.timezone(_offset_of(iso), name)
    return iso, zone, 1 if found["fold"] else 0


def _offset_of(iso: str) -> dt.timedelta:
    at = max(iso.rfind("+"), iso.rfind("-"))
    offset = dt.time.fromisoformat(f"00:00:00{iso[at:]}").utcoffset()
    if offset is None:
        raise ValueError(iso)
    return offset


def _write_zone(zone: dt.tzinfo | None) -> str:
    if zone is None:
        return ""
    if isinstance(zone, zoneinfo.ZoneInfo):
        return f"[{write_zone(zone)}]"
    if is_pydantics(zone):
        return f"{_write_offset(zone)}[{PYDANTIC}]"
    if type(zone) is not dt.timezone:
        kind = f"{type(zone).__module__}.{type(zone).__qualname__}"
        raise ValueError(
            f"a zone of type {kind}; let the bridge give `value.astimezone(datetime.UTC)`"
        )
    name, usual = zone.tzname(None), dt.timezone(zone.utcoffset(None)).tzname(None)
    return _write_offset(zone) + ("" if name == usual else f"[={name}]")


def _write_offset(zone: dt.tzinfo) -> str:
    return dt.time(tzinfo=zone).isoformat().removeprefix("00:00:00")


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TextForm(Generic[T]):
    """How the values of a type are written and read; what reads back must be written the same."""

    cls: type[T]
    name: str
    write: Callable[[T], str]
    read: Callable[[str], T]
    promoted: tuple[type, ...] = ()
    """Types that are accepted without being subclasses: int and float for complex."""


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
        _form(dt.datetime, "datetime.datetime", write_datetime, read_datetime),
        _form(dt.time, "datetime.time", write_time, read_time),
        _form(dt.timedelta, "datetime.timedelta", str, read_delta),
        _form(dt.timezone, "datetime.timezone", write_timezone, read_timezone),
        _form(zoneinfo.ZoneInfo, "zoneinfo.ZoneInfo", write_zone, zoneinfo.ZoneInfo),
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
