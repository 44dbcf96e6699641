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
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.node import ClassNode, Nodes
from vcr_gen.runtime.codec.scalars import ESCAPED, str_from_plain, str_to_plain
from vcr_gen.runtime.codec.tags import STR
from vcr_gen.runtime.plain import Plain

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
    if key == _PYDANTIC:
        zone = _pydantics_zone(_offset_of(iso))
    elif key is not None:
        zone = zoneinfo.ZoneInfo(key)
    elif name is not None:
        zone = dt.timezone(_offset_of(iso), name)
    return iso, zone, 1 if found["fold"] else 0


_PYDANTIC: Final = "pydantic"
"""The suffix of an offset for a time zone of pydantic, which has its own class for them."""


def _is_pydantics(zone: dt.tzinfo) -> bool:
    kind = type(zone)
    return kind.__name__ == "TzInfo" and kind.__module__.startswith("pydantic_core")


def _pydantics_zone(offset: dt.timedelta) -> dt.tzinfo:
    if "pydantic_core" not in sys.modules:  # nothing is imported here
        raise ValueError("a zone of pydantic, which is not imported")
    zone: dt.tzinfo = sys.modules["pydantic_core"].TzInfo(offset.total_seconds())
    return zone


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
    if _is_pydantics(zone):
        return f"{_write_offset(zone)}[{_PYDANTIC}]"
    if type(zone) is not dt.timezone:
        kind = f"{type(zone).__module__}.{type(zone).__qualname__}"
        raise ValueError(
            f"a zone of type {kind}; let the bridge return `value.astimezone(datetime.UTC)`"
        )
    name, usual = zone.tzname(None), dt.timezone(zone.utcoffset(None)).tzname(None)
    return _write_offset(zone) + ("" if name == usual else f"[={name}]")


def _write_offset(zone: dt.tzinfo) -> str:
    return dt.time(tzinfo=zone).isoformat().removeprefix("00:00:00")


class TextNode(ClassNode):
    """Stores values of one class as text, which must be written the same when it is read back.

    `promoted` types are accepted without being subclasses: int and float for complex.
    """

    kinds = frozenset({STR, ESCAPED})

    def __init__(
        self,
        nodes: Nodes,
        cls: type,
        name: str,
        write: Callable[[Any], str] = str,
        read: Callable[[str], object] | None = None,
        *,
        base: type | None = None,
        promoted: tuple[type, ...] = (),
    ) -> None:
        super().__init__(
            nodes, cls, name, base=base, alternatives={each: each for each in promoted}
        )
        self._write: Final = write
        self._read: Final = read or cls

    def bare(self, value: object) -> Plain:
        try:
            return str_to_plain(self._write(value))
        except ValueError as error:
            raise Fault(f"a {self.name} that can be written as text", str(error)) from error

    def restore(self, plain: Plain) -> object:
        text = str_from_plain(plain, expected=self.name)
        try:
            value = self._read(text)
            if self._write(value) == text:
                return value
        except (ValueError, ArithmeticError, KeyError, OSError, TypeError):
            pass
        raise Fault(self.name, show(text))


_FRACTION: Final = re.compile(r"-?[0-9]+(/[0-9]+)?")


def _read_fraction(text: str) -> Fraction:
    if not _FRACTION.fullmatch(text):  # `Fraction` also reads `1e999999999`, which takes forever
        raise ValueError(text)
    return Fraction(text)


Make = Callable[[Nodes, type, str], TextNode]


def _form(
    write: Callable[[Any], str] = str,
    read: Callable[[str], object] | None = None,
    promoted: tuple[type, ...] = (),
) -> Make:
    return lambda nodes, cls, name: TextNode(nodes, cls, name, write, read, promoted=promoted)


def _path(native: type) -> Make:
    """A path under a declared class that makes values of another: `Path()` is a `PosixPath`."""
    return lambda nodes, cls, name: TextNode(nodes, native, name, base=cls)


TEXTS: Final[dict[type, Make]] = {
    complex: _form(promoted=(int, float, bool)),
    types.EllipsisType: _form(lambda _: "...", lambda _: ...),
    Decimal: _form(),
    Fraction: _form(read=_read_fraction),
    uuid.UUID: _form(),
    dt.date: _form(dt.date.isoformat, dt.date.fromisoformat),
    dt.datetime: _form(write_datetime, read_datetime),
    dt.time: _form(write_time, read_time),
    dt.timedelta: _form(read=read_delta),
    dt.timezone: _form(_write_zone, read_timezone),
    zoneinfo.ZoneInfo: _form(write_zone),
    pathlib.PurePath: _path(type(pathlib.PurePath())),
    pathlib.Path: _path(type(pathlib.Path())),
    os.PathLike: _path(type(pathlib.Path())),
    pathlib.PurePosixPath: _form(),
    pathlib.PureWindowsPath: _form(),
    type(pathlib.Path()): _form(),
    ipaddress.IPv4Address: _form(),
    ipaddress.IPv6Address: _form(),
    ipaddress.IPv4Network: _form(),
    ipaddress.IPv6Network: _form(),
    ipaddress.IPv4Interface: _form(),
    ipaddress.IPv6Interface: _form(),
}
"""For each class, what makes the node that writes it."""
