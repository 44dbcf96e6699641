"""Dates and times as text, with the name of the zone and the fold."""

from __future__ import annotations

import datetime as dt
import re
import sys
import zoneinfo
from typing import Final

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
